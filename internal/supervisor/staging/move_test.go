package staging

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ"
)

func TestMove(t *testing.T) {
	t.Parallel()
	move := func(w *world, from, to string) {
		if _, err := w.coder().Move(w.t.Context(), from, to); err != nil {
			w.t.Fatalf("move %s to %s: %v", from, to, err)
		}
	}
	type row struct {
		Path string
		Op   writ.ChangeOp
		From string
	}
	for _, tc := range []struct {
		name string
		do   func(w *world)
		want []row
	}{
		{"of a workspace file", func(w *world) { move(w, "a.txt", "n.txt") },
			[]row{{"a.txt", writ.OpDelete, ""}, {"n.txt", writ.OpMove, "a.txt"}}},
		{"twice names the first place", func(w *world) { move(w, "a.txt", "n.txt"); move(w, "n.txt", "d/m.txt") },
			[]row{{"a.txt", writ.OpDelete, ""}, {"d/m.txt", writ.OpMove, "a.txt"}}},
		{"and back is nothing", func(w *world) { move(w, "a.txt", "n.txt"); move(w, "n.txt", "a.txt") }, nil},
		{"of a file that the task made is a creation", func(w *world) { w.write("n.txt", "x\n"); move(w, "n.txt", "d/m.txt") },
			[]row{{"d/m.txt", writ.OpCreate, ""}}},
		{"then edited stays a move", func(w *world) { move(w, "a.txt", "n.txt"); w.write("n.txt", "2\n") },
			[]row{{"a.txt", writ.OpDelete, ""}, {"n.txt", writ.OpMove, "a.txt"}}},
		{"then the old name written anew is a creation and a change", func(w *world) { move(w, "a.txt", "n.txt"); w.write("a.txt", "2\n") },
			[]row{{"a.txt", writ.OpModify, ""}, {"n.txt", writ.OpCreate, ""}}},
		{"then deleted leaves the deletion", func(w *world) { move(w, "a.txt", "n.txt"); w.delete("n.txt") },
			[]row{{"a.txt", writ.OpDelete, ""}}},
		{"onto a deleted file is a change of it", func(w *world) { w.delete("b.txt"); move(w, "a.txt", "b.txt") },
			[]row{{"a.txt", writ.OpDelete, ""}, {"b.txt", writ.OpModify, ""}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "b\n"}, "n.txt", "d/m.txt")
			tc.do(w)
			var got []row
			for _, c := range w.open().Changes() {
				got = append(got, row{c.Path, c.Op, c.From})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoveIsJudged(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.txt": "{ broken", "a.json": "{}", "b.json": "{ broken"}
	for _, tc := range []struct {
		name, from, to string
		want           writ.Code
	}{
		{"state-11/broken text renamed to code", "a.txt", "n.json", writ.CodeSyntaxInvalid},
		{"a broken file keeps its kind", "b.json", "n.json", ""},
		{"source not locked", "free.json", "n.json", writ.CodeFileNotLocked},
		{"target not locked", "a.json", "free.json", writ.CodeFileNotLocked},
		{"target protected", "a.json", ".git/config", writ.CodeProtectedPath},
		{"target outside", "a.json", "../n.json", writ.CodePathOutside},
		{"source absent", "n.json", "m.json", writ.CodeFileNotFound},
		{"target exists", "a.json", "b.json", writ.CodeStaleFile},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files, "n.json", "m.json", ".git/config")
			_, err := w.coder().Move(t.Context(), tc.from, tc.to)
			wantCode(t, err, tc.want)
			if got := len(w.overlay.Changes()); tc.want != "" && got != 0 {
				t.Errorf("a refused move left %d changes", got)
			}
		})
	}
	t.Run("state-11/written as text, then renamed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, "helper.txt", "tool.go")
		w.write("helper.txt", "func (((\n")
		_, err := w.coder().Move(t.Context(), "helper.txt", "tool.go")
		wantCode(t, err, writ.CodeSyntaxInvalid)
	})
}
