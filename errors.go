package writ

import (
	"errors"
	"net/http"
)

// Code names an error so that a model, a script and a person can act on it.
type Code string

// The codes of the contract, then the few that only people and scripts meet.
const (
	CodePathOutside    Code = "PATH_OUTSIDE_WORKSPACE"
	CodePathInvalid    Code = "PATH_INVALID"
	CodeProtectedPath  Code = "PROTECTED_PATH"
	CodeFileNotLocked  Code = "FILE_NOT_LOCKED"
	CodeFileNotFound   Code = "FILE_NOT_FOUND"
	CodeSyntaxInvalid  Code = "SYNTAX_INVALID"
	CodeStaleFile      Code = "STALE_FILE"
	CodeEditNotFound   Code = "EDIT_NOT_FOUND"
	CodeEditAmbiguous  Code = "EDIT_AMBIGUOUS"
	CodeTooLarge       Code = "TOO_LARGE"
	CodeBinaryFile     Code = "BINARY_FILE"
	CodeSchemaInvalid  Code = "SCHEMA_INVALID"
	CodeToolUnknown    Code = "TOOL_UNKNOWN"
	CodeToolDenied     Code = "TOOL_DENIED"
	CodeToolTimeout    Code = "TOOL_TIMEOUT"
	CodeLoopDetected   Code = "LOOP_DETECTED"
	CodeLimitReached   Code = "LIMIT_REACHED"
	CodeBudgetExceeded Code = "BUDGET_EXCEEDED"
	CodeStateIllegal   Code = "STATE_ILLEGAL"
	CodeScanBlocked    Code = "SCAN_BLOCKED"

	CodeUsage     Code = "USAGE"     // wrong flags or arguments
	CodeConfig    Code = "CONFIG"    // a configuration that cannot be used
	CodeInternal  Code = "INTERNAL"  // a fault of Writ itself
	CodeCancelled Code = "CANCELLED" // a person or a signal ended it
	CodeModel     Code = "MODEL_UNAVAILABLE"
)

// The exit codes of the process.
const (
	ExitOK         = 0
	ExitInternal   = 1
	ExitUsage      = 2
	ExitFailed     = 3
	ExitCancelled  = 4
	ExitBudget     = 5
	ExitNeedsInput = 6
	ExitDegraded   = 7
)

// CodeInfo is one row of the table of codes.
type CodeInfo struct {
	Code   Code
	Exit   int
	Status int    // HTTP
	Denial bool   // a refused act that the report lists
	Hint   string // what to do instead
}

// Codes is the one table that maps a code to its exit code, HTTP status and
// advice. It returns a fresh slice, so nobody can change it.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodePathOutside, ExitFailed, http.StatusForbidden, true, "name a path inside the workspace"},
		{CodePathInvalid, ExitFailed, http.StatusBadRequest, true, "name a regular file by its plain relative path"},
		{CodeProtectedPath, ExitFailed, http.StatusForbidden, true, "leave this path alone; a person can approve it when the plan names it"},
		{CodeFileNotLocked, ExitFailed, http.StatusForbidden, true, "write only the files of this step, or call request_file"},
		{CodeFileNotFound, ExitFailed, http.StatusNotFound, false, "list_files shows what exists"},
		{CodeSyntaxInvalid, ExitFailed, http.StatusUnprocessableEntity, false, "correct the syntax at the place named and write again"},
		{CodeStaleFile, ExitFailed, http.StatusConflict, true, "read the file again and build on its present content"},
		{CodeEditNotFound, ExitFailed, http.StatusUnprocessableEntity, false, "copy the text to replace exactly as read_file shows it"},
		{CodeEditAmbiguous, ExitFailed, http.StatusUnprocessableEntity, false, "add lines around the text until it is unique, or set replace_all"},
		{CodeTooLarge, ExitFailed, http.StatusRequestEntityTooLarge, false, "work on a smaller part"},
		{CodeBinaryFile, ExitFailed, http.StatusUnsupportedMediaType, false, "only text files can be read or edited"},
		{CodeSchemaInvalid, ExitFailed, http.StatusBadRequest, false, "send the arguments as the tool's schema says"},
		{CodeToolUnknown, ExitFailed, http.StatusNotFound, false, "use one of the listed tools"},
		{CodeToolDenied, ExitFailed, http.StatusForbidden, true, "use one of the tools of your role"},
		{CodeToolTimeout, ExitFailed, http.StatusGatewayTimeout, false, "try a smaller request"},
		{CodeLoopDetected, ExitFailed, http.StatusUnprocessableEntity, false, "do something else, or end the step"},
		{CodeLimitReached, ExitFailed, http.StatusUnprocessableEntity, false, "split the work into smaller steps"},
		{CodeBudgetExceeded, ExitBudget, http.StatusPaymentRequired, false, "raise the budget or make the task smaller"},
		{CodeStateIllegal, ExitFailed, http.StatusConflict, false, "writ task show TASK tells where the task stands"},
		{CodeScanBlocked, ExitFailed, http.StatusUnprocessableEntity, false, "repair the finding"},
		{CodeUsage, ExitUsage, http.StatusBadRequest, false, "see writ help"},
		{CodeConfig, ExitUsage, http.StatusBadRequest, false, "writ config show prints each value with its origin"},
		{CodeInternal, ExitInternal, http.StatusInternalServerError, false, "run again with -v, and report it if it stays"},
		{CodeCancelled, ExitCancelled, http.StatusConflict, false, "the staged changes are kept: writ changes"},
		{CodeModel, ExitFailed, http.StatusBadGateway, false, "writ model check tells what the server answers"},
	}
}

// Lookup returns the table's row of a code; an unknown code is internal.
func Lookup(code Code) CodeInfo {
	var internal CodeInfo
	for _, info := range Codes() {
		if info.Code == code {
			return info
		}
		if info.Code == CodeInternal {
			internal = info
		}
	}
	internal.Code = code
	return internal
}

// Error is an error that somebody can act on. Msg says what happened, in one
// lower-case line without secrets; Hint says what to do and falls back to the
// table's advice.
type Error struct {
	Code Code
	Op   string // what was being done; may be empty
	Path string // the path concerned, as it was given; may be empty
	Msg  string
	Hint string
	Err  error
}

// Error joins operation and message: "op: msg".
func (e *Error) Error() string {
	msg := e.Msg
	if msg == "" && e.Err != nil {
		msg = e.Err.Error()
	}
	if msg == "" {
		msg = string(e.Code)
	}
	if e.Op != "" {
		return e.Op + ": " + msg
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Advice is the hint, or what the table says for the code.
func (e *Error) Advice() string {
	if e.Hint != "" {
		return e.Hint
	}
	return Lookup(e.Code).Hint
}

// CodeOf returns the code of the first *Error in err's chain, CodeStateIllegal
// for an [IllegalTransitionError], the empty code for nil, and CodeInternal
// otherwise.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	var illegal *IllegalTransitionError
	if errors.As(err, &illegal) {
		return CodeStateIllegal
	}
	return CodeInternal
}
