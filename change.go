package writ

import "io/fs"

// ChangeOp is the kind of a staged file operation.
type ChangeOp string

// The change operations. A move is staged as a delete and a create that name
// each other, so that each path has exactly one change.
const (
	OpCreate ChangeOp = "create"
	OpModify ChangeOp = "modify"
	OpDelete ChangeOp = "delete"
	OpMove   ChangeOp = "move"
)

// String returns the operation as the contract writes it.
func (o ChangeOp) String() string { return string(o) }

// ChangeStatus is what became of a change.
type ChangeStatus string

// The change statuses.
const (
	ChangeStaged    ChangeStatus = "staged"
	ChangeApplied   ChangeStatus = "applied"
	ChangeRejected  ChangeStatus = "rejected"
	ChangeDiscarded ChangeStatus = "discarded"
	ChangeUndone    ChangeStatus = "undone"
)

// String returns the status as the contract writes it.
func (s ChangeStatus) String() string { return string(s) }

// Change is one staged file operation. The hashes are SHA-256 in hexadecimal;
// an absent file has the empty hash. From is the old path of a moved file.
type Change struct {
	Path         string       `json:"path"`
	Op           ChangeOp     `json:"op"`
	Status       ChangeStatus `json:"status"`
	From         string       `json:"from,omitempty"`
	BeforeSHA256 string       `json:"before_sha256"`
	AfterSHA256  string       `json:"after_sha256"`
	Additions    int          `json:"additions"`
	Deletions    int          `json:"deletions"`
	Mode         fs.FileMode  `json:"mode,omitempty"`
	BeforeMode   fs.FileMode  `json:"before_mode,omitempty"`
	Step         string       `json:"step,omitempty"`
}
