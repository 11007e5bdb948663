package guard

// RemoveDir removes the folder at a cleaned path if it is empty. What holds
// something, is absent or is no folder stays as it is, which is no error.
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
