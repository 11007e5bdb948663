package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The bounds of one file. The line bound keeps the parser, whose errors cost
// the square of a line's length, from being slow on a hostile one.
const (
	maxFile   = 1 << 20
	maxLine   = 4 << 10
	maxDepth  = 64
	maxValues = 20_000
)

// node is a YAML value with its place, aliases followed and merges done.
type node struct {
	shape shape
	text  string // of a scalar
	line  int
	keys  []pair // of a mapping, in the file's order
	items []node // of a sequence
}

type pair struct {
	key   string
	line  int
	value node
}

type shape int

const (
	shapeNull shape = iota
	shapeText
	shapeInteger
	shapeNumber
	shapeBool
	shapeMapping
	shapeSequence
)

// String names the shape as a person would, for errors.
func (s shape) String() string {
	switch s {
	case shapeNull:
		return "nothing"
	case shapeText:
		return "text"
	case shapeInteger:
		return "a whole number"
	case shapeNumber:
		return "a number"
	case shapeBool:
		return "true or false"
	case shapeMapping:
		return "a mapping"
	case shapeSequence:
		return "a list"
	}
	return "unknown"
}

// lineError is a fault of a file with its line; 0 where there is none.
type lineError struct {
	line int
	msg  string
	hint string
}

func (e *lineError) Error() string { return e.msg }

// parseYAML reads one document, which may be empty. Every error is a
// *lineError.
func parseYAML(content []byte) (node, error) {
	if err := prescan(content); err != nil {
		return node{}, err
	}
	file, err := parser.ParseBytes(content, 0)
	if err != nil {
		return node{}, syntaxError(err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return node{}, &lineError{line: lineOf(doc.Body), msg: "a second document", hint: "write everything into one"}
		}
		body = doc.Body
	}
	if body == nil {
		return node{}, nil
	}
	c := converter{anchors: map[string]ast.Node{}}
	return c.convert(body, 0)
}

// prescan refuses what would make the parser itself slow or deep.
func prescan(content []byte) error {
	depth := 0
	for i, line := range strings.Split(string(content), "\n") {
		if len(line) > maxLine {
			return &lineError{line: i + 1, msg: fmt.Sprintf("a line of more than %d bytes", maxLine), hint: "break it up"}
		}
		depth = max(0, depth+strings.Count(line, "[")+strings.Count(line, "{")-strings.Count(line, "]")-strings.Count(line, "}"))
		indent := len(line) - len(strings.TrimLeft(line, " -?"))
		if depth > maxDepth || indent > 4*maxDepth {
			return &lineError{line: i + 1, msg: fmt.Sprintf("nested more than %d deep", maxDepth), hint: "make it flatter"}
		}
	}
	return nil
}

// syntaxError keeps the parser's message and place and drops its excerpt.
func syntaxError(err error) *lineError {
	var e yaml.Error
	if !errors.As(err, &e) {
		return &lineError{msg: "is no valid YAML: " + firstLine(err.Error())}
	}
	line := 0
	if tok := e.GetToken(); tok != nil && tok.Position != nil {
		line = tok.Position.Line
	}
	return &lineError{line: line, msg: "is no valid YAML: " + firstLine(e.GetMessage()), hint: "correct that line"}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return clip(s)
}

// converter turns the parser's tree into nodes and counts them, so that a few
// aliases of aliases cannot grow without bound.
type converter struct {
	anchors map[string]ast.Node
	values  int
}

func (c *converter) convert(n ast.Node, depth int) (node, error) {
	c.values++
	line := lineOf(n)
	if c.values > maxValues {
		return node{}, &lineError{line: line, msg: fmt.Sprintf("more than %d values, aliases counted", maxValues)}
	}
	if depth > maxDepth {
		return node{}, &lineError{line: line, msg: fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		c.anchors[n.Name.GetToken().Value] = n.Value
		return c.convert(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := c.anchors[n.Value.GetToken().Value]
		if !ok {
			return node{}, &lineError{line: line, msg: "an alias without its anchor"}
		}
		return c.convert(target, depth+1)
	case *ast.MappingNode:
		return c.mapping(n.Values, line, depth)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, line, depth)
	case *ast.SequenceNode:
		out := node{shape: shapeSequence, line: line}
		for _, v := range n.Values {
			item, err := c.convert(v, depth+1)
			if err != nil {
				return node{}, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	}
	return scalar(n, line)
}

func scalar(n ast.Node, line int) (node, error) {
	out := node{line: line}
	switch n := n.(type) {
	case nil:
		return out, nil
	case *ast.NullNode:
	case *ast.StringNode:
		out.shape, out.text = shapeText, n.Value
	case *ast.LiteralNode:
		out.shape, out.text = shapeText, n.Value.Value
	case *ast.BoolNode:
		out.shape, out.text = shapeBool, fmt.Sprint(n.Value)
	case *ast.IntegerNode:
		out.shape, out.text = shapeInteger, fmt.Sprint(n.Value)
	case *ast.FloatNode:
		out.shape, out.text = shapeNumber, n.GetToken().Value
	case *ast.InfinityNode, *ast.NanNode:
		out.shape, out.text = shapeText, n.GetToken().Value
	default:
		return node{}, &lineError{line: line, msg: "a tag or another form of YAML that configuration does not use", hint: "write a plain value"}
	}
	return out, nil
}

// mapping converts the pairs and lays merged mappings under them.
func (c *converter) mapping(values []*ast.MappingValueNode, line, depth int) (node, error) {
	out := node{shape: shapeMapping, line: line}
	var merged []pair
	for _, v := range values {
		value, err := c.convert(v.Value, depth+1)
		if err != nil {
			return node{}, err
		}
		if v.Key.IsMergeKey() {
			if value.shape != shapeMapping {
				return node{}, &lineError{line: lineOf(v), msg: "<< merges " + value.shape.String() + " instead of a mapping"}
			}
			merged = append(merged, value.keys...)
			continue
		}
		key, err := scalar(v.Key, lineOf(v.Key))
		if err != nil || key.text == "" {
			return node{}, &lineError{line: lineOf(v.Key), msg: "a key that is no plain word"}
		}
		if out.has(key.text) {
			return node{}, &lineError{line: key.line, msg: fmt.Sprintf("the key %s stands twice", show(key.text))}
		}
		out.keys = append(out.keys, pair{key.text, key.line, value})
	}
	for _, p := range merged {
		if !out.has(p.key) {
			out.keys = append(out.keys, p)
		}
	}
	return out, nil
}

func (n *node) has(key string) bool {
	for _, p := range n.keys {
		if p.key == key {
			return true
		}
	}
	return false
}

func lineOf(n ast.Node) int {
	if n == nil {
		return 0
	}
	if tok := n.GetToken(); tok != nil && tok.Position != nil {
		return tok.Position.Line
	}
	return 0
}
