package staging

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMaterialise(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "2\n", "d/c.txt": "3\n", "run.sh": "x\n"}, "n/n.txt")
	if err := os.Chmod(filepath.Join(w.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	writeFile(t, secret, "secret\n")
	w.link("../a.txt", "d/in")
	w.link(secret, "out")
	w.link("../../../../etc/passwd", "d/up")
	w.link("d/../../x", "sly")
	w.write("a.txt", "one\n")
	w.delete("b.txt")
	w.write("n/n.txt", "new\n")
	dir := t.TempDir()
	if err := w.overlay.Materialise(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	wantTree(t, "tree", map[string]string{"a.txt": "one\n", "d/c.txt": "3\n", "d/in": "-> ../a.txt", "n/n.txt": "new\n", "run.sh": "x\n"}, readTree(t, dir))
	if got := mode(t, filepath.Join(dir, "run.sh")); got != 0o755 {
		t.Errorf("run.sh has mode %v", got)
	}
	writeFile(t, filepath.Join(dir, "d/c.txt"), "spoilt\n")
	if content, err := os.ReadFile(filepath.Join(w.dir, "d/c.txt")); err != nil || string(content) != "3\n" {
		t.Errorf("the workspace's file is %q, %v", content, err)
	}
}

func TestMaterialiseSomeFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n", "b.txt": "2\n"})
	dir := filepath.Join(t.TempDir(), "not", "there yet")
	if err := w.overlay.Materialise(t.Context(), dir, []string{"b.txt", "vanished.txt", "d"}); err != nil {
		t.Fatal(err)
	}
	wantTree(t, "tree", map[string]string{"b.txt": "2\n"}, readTree(t, dir))
}

// TestMaterialiseAFIFO must neither hang nor fail.
func TestMaterialiseAFIFO(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "1\n"})
	makeFIFO(t, filepath.Join(w.dir, "pipe"))
	dir := t.TempDir()
	done := make(chan error, 1)
	go func() { done <- w.overlay.Materialise(t.Context(), dir, nil) }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the FIFO")
	}
	wantTree(t, "tree", map[string]string{"a.txt": "1\n"}, readTree(t, dir))
}

func TestStage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"sorted.json": "[]\n", "gone.txt": "x\n"}, "made.bin")
	stage := func(path string, content []byte, mode os.FileMode) {
		if _, err := w.overlay.Stage(t.Context(), "", "s1", path, content, mode); err != nil {
			t.Fatalf("stage %s: %v", path, err)
		}
	}
	stage("sorted.json", []byte("[1"), 0) // the verification judges it
	stage("gone.txt", nil, 0)
	stage("made.bin", []byte{0, 1}, 0o755)
	if _, err := w.overlay.Stage(t.Context(), "", "s1", "other.txt", []byte("x"), 0); err == nil {
		t.Error("a file outside the lock set was staged")
	}
	if _, err := w.applier.ApplyAll(t.Context(), testTask); err != nil {
		t.Fatal(err)
	}
	wantTree(t, "applied", map[string]string{"sorted.json": "[1", "made.bin": "\x00\x01"}, w.disk())
}
