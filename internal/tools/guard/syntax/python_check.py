import ast, json, struct, sys, warnings
try:
    import resource
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_DATA, 1 << 30), (resource.RLIMIT_CPU, 600)):
        try:
            resource.setrlimit(limit, (value, value))
        except (ValueError, OSError):
            pass
except ImportError:
    pass
warnings.simplefilter("ignore")
name = "python3 %d.%d.%d" % sys.version_info[:3]
source, answers = sys.stdin.buffer, sys.stdout.buffer
while True:
    head = source.read(4)
    if len(head) < 4:
        break
    content = source.read(struct.unpack(">I", head)[0])
    verdict, line, column, message = "valid", 0, 0, ""
    try:
        ast.parse(content)
    except SyntaxError as e:
        verdict, line, column, message = "invalid", e.lineno or 0, e.offset or 0, str(e.msg)
    except (ValueError, LookupError) as e:
        verdict, message = "invalid", str(e)
    except (RecursionError, MemoryError):
        verdict, message = "unknown", "the file is nested too deep for the checker"
    answer = json.dumps({"verdict": verdict, "line": line, "column": max(0, column), "message": message[:300], "checker": name}).encode()
    answers.write(struct.pack(">I", len(answer)) + answer)
    answers.flush()
