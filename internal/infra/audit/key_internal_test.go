package audit

import "testing"

// A key file is what its owner left there, or somebody else.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
		"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n",
		"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		key, err := parseKey(data)
		if err == nil && len(publicHex(key)) != 64 {
			t.Errorf("a key of %d bytes", len(key))
		}
	})
}
