package gitx

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ"
)

// BranchFile is one file of a delivered commit. Path is relative to the
// workspace; of Mode only whether anybody may execute the file counts.
type BranchFile struct {
	Path    string
	Mode    fs.FileMode
	Content []byte
	Delete  bool
}

// maxBranchTries is how many suffixes a taken branch name gets.
const maxBranchTries = 100

// DeliverBranch commits the files on top of HEAD as a new branch and returns
// the branch's name and the commit's id. The name gets a suffix, -2 and so on,
// if it is taken. Nothing but new objects and the one reference is written: no
// index, no work tree, no other branch. The bytes are stored as they are; only
// where attributes or core.autocrlf keep line ends of one kind in the
// repository are they converted so, since the commit would otherwise change
// each line.
//
// A name that git would not take is USAGE, as is a folder without repository;
// so are files that do not differ from HEAD.
func (r *Repo) DeliverBranch(ctx context.Context, branch, message string, files []BranchFile) (name, commit string, err error) {
	if !r.Present() {
		return "", "", r.noRepository()
	}
	if err := r.intact(); err != nil {
		return "", "", err
	}
	if err := r.checkBranch(ctx, branch); err != nil {
		return "", "", err
	}
	head, err := r.HeadInfo(ctx)
	if err != nil {
		return "", "", fmt.Errorf("deliver branch: %w", err)
	}
	tree, err := r.writeTree(ctx, head.Commit, files)
	if err != nil {
		return "", "", fmt.Errorf("deliver branch: %w", err)
	}
	if r.treeOf(ctx, head.Commit) == tree {
		return "", "", &writ.Error{Code: writ.CodeUsage, Op: "deliver branch", Msg: "the files do not differ from HEAD", Hint: "there is nothing to deliver"}
	}
	args := []string{"commit-tree", tree}
	if head.Commit != "" {
		args = append(args, "-p", head.Commit)
	}
	commit, err = r.git.line(ctx, call{args: append(args, "-F", "-"), stdin: strings.NewReader(message), env: r.identities(ctx)})
	if err != nil {
		return "", "", fmt.Errorf("deliver branch: %w", err)
	}
	if name, err = r.newBranch(ctx, branch, commit); err != nil {
		return "", "", fmt.Errorf("deliver branch: %w", err)
	}
	return name, commit, nil
}

// checkBranch refuses a name that git would not take as a branch, or that a
// later command line would take for an option.
func (r *Repo) checkBranch(ctx context.Context, branch string) error {
	refusal := &writ.Error{Code: writ.CodeUsage, Op: "deliver branch", Msg: fmt.Sprintf("%q is no name of a branch", branch),
		Hint: "letters, digits, dashes and slashes make a name"}
	if branch == "" || len(branch) > 200 || branch == "HEAD" || strings.HasPrefix(branch, "-") || strings.ContainsRune(branch, 0) {
		return refusal
	}
	if _, err := r.git.run(ctx, call{args: []string{"check-ref-format", "refs/heads/" + branch}}); err != nil {
		refusal.Err = err
		return refusal
	}
	return nil
}

// writeTree builds the tree of HEAD with the files laid over it, in an index
// of its own.
func (r *Repo) writeTree(ctx context.Context, head string, files []BranchFile) (string, error) {
	tmp, err := os.MkdirTemp("", "writ-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	from := "--empty"
	if head != "" {
		from = head
	}
	if _, err := r.git.run(ctx, call{args: []string{"read-tree", from}, env: index}); err != nil {
		return "", err
	}
	var info bytes.Buffer // records of update-index, each ended by NUL
	for pass := range 2 { // deletions first: a file may take a deleted folder's name
		for _, f := range files {
			if f.Delete != (pass == 0) {
				continue
			}
			if err := r.indexLine(ctx, &info, head, f); err != nil {
				return "", err
			}
		}
	}
	if _, err := r.git.run(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: bytes.NewReader(info.Bytes()), env: index}); err != nil {
		return "", err
	}
	if err := r.indexHolds(ctx, index, info.Bytes()); err != nil {
		return "", err
	}
	return r.git.line(ctx, call{args: []string{"write-tree"}, env: index})
}

// indexHolds proves that the index has each record: update-index leaves a path
// that it dislikes out and reports success.
func (r *Repo) indexHolds(ctx context.Context, index []string, records []byte) error {
	out, err := r.git.run(ctx, call{args: []string{"ls-files", "-z", "--stage", "--full-name"}, env: index})
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, entry := range split(out) {
		have[strings.Replace(entry, " 0\t", "\t", 1)] = true
	}
	for _, record := range split(records) {
		if !have[record] && !strings.HasPrefix(record, "0 ") {
			_, path, _ := strings.Cut(record, "\t")
			return fmt.Errorf("git does not take the path %q", path)
		}
	}
	return nil
}

// indexLine stores a file's content and writes its line of index information.
func (r *Repo) indexLine(ctx context.Context, info *bytes.Buffer, head string, f BranchFile) error {
	if !fs.ValidPath(f.Path) || f.Path == "." || strings.ContainsRune(f.Path, 0) || throughGit(f.Path) {
		return fmt.Errorf("store %q: no path of a commit", f.Path)
	}
	if f.Delete {
		fmt.Fprintf(info, "0 %s\t%s%s\x00", strings.Repeat("0", max(40, len(head))), r.prefix, f.Path)
		return nil
	}
	content, err := r.lineEnds(ctx, head, f)
	if err != nil {
		return err
	}
	oid, err := r.git.line(ctx, call{args: []string{"hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"}, stdin: bytes.NewReader(content)})
	if err != nil {
		return err
	}
	fmt.Fprintf(info, "%s %s\t%s%s\x00", gitMode(f.Mode), oid, r.prefix, f.Path)
	return nil
}

// gitMode is a regular file's mode as git writes it.
func gitMode(mode fs.FileMode) string {
	if mode&0o111 != 0 {
		return "100755"
	}
	return "100644"
}

func (r *Repo) treeOf(ctx context.Context, commit string) string {
	if commit == "" {
		return ""
	}
	tree, err := r.git.line(ctx, call{args: []string{"rev-parse", "-q", "--verify", commit + "^{tree}"}})
	if err != nil {
		return ""
	}
	return tree
}

// newBranch creates the first free name. A reference is created only if none of
// that name exists, so two deliveries at once get two names. Where a branch
// takes the name of a folder that we need ("writ" and "writ/x"), the slashes
// give way.
func (r *Repo) newBranch(ctx context.Context, branch, commit string) (string, error) {
	var last error
	for _, base := range []string{branch, strings.ReplaceAll(branch, "/", "-")} {
		for n := 1; n <= maxBranchTries; n++ {
			name := base
			if n > 1 {
				name = fmt.Sprintf("%s-%d", base, n)
			}
			if r.branchExists(ctx, name) {
				continue
			}
			_, last = r.git.run(ctx, call{args: []string{"update-ref", "refs/heads/" + name, commit, strings.Repeat("0", len(commit))}})
			if last == nil {
				return name, nil
			}
			if !r.branchExists(ctx, name) {
				break
			}
		}
	}
	if last == nil {
		last = fmt.Errorf("%q and %d more names are taken", branch, maxBranchTries-1)
	}
	return "", last
}

func (r *Repo) branchExists(ctx context.Context, name string) bool {
	_, err := r.git.run(ctx, call{args: []string{"show-ref", "--verify", "--quiet", "refs/heads/" + name}})
	return err == nil
}
