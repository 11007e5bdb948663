package sandbox

// identities lists the users to try: none but the present one.
func identities(int) []int { return []int{0} }

func isRoot() bool { return false }
