package guard

// RemoveDir removes the folder at a cleaned path if it is empty. One that is
// absent or holds something is no error: it stays as it is.
func (r *Root) RemoveDir(rel string) error {
	if err := plain(rel); err != nil {
		return err
	}
	err := r.rmdir(rel)
	if err == nil || notEmpty(err) || absent(err) {
		return nil
	}
	return writeError("remove", rel, err)
}
