package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/writ-dev/writ"
)

// maxSchemaBytes bounds a tool's schema.
const maxSchemaBytes = 256 << 10

// Schema derives the JSON Schema of a tool's arguments from their Go struct,
// so that the two can never differ. A field is required unless its json tag
// says omitempty; a jsonschema tag is its description. Nothing beside the
// fields is allowed.
func Schema[A any]() (json.RawMessage, error) {
	derived, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, fmt.Errorf("derive schema: %w", err)
	}
	dropNull(derived)
	raw, err := json.Marshal(derived)
	if err != nil {
		return nil, fmt.Errorf("derive schema: %w", err)
	}
	return raw, nil
}

// dropNull lets a slice be an array only: the derivation allows null for the
// nil slice, which is a Go matter and invites a model to send it.
func dropNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, property := range s.Properties {
		dropNull(property)
	}
	dropNull(s.Items)
}

// schema is a tool's schema, ready to check arguments.
type schema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// parseSchema prepares a schema, which may come from a foreign server.
func parseSchema(raw json.RawMessage) (*schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, the limit is %d", len(raw), maxSchemaBytes)
	}
	tree, err := decodeStrict(raw)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	top, ok := tree.(map[string]any)
	if !ok || top["type"] != "object" {
		return nil, errors.New(`the schema must be of "type": "object"`)
	}
	if err := checkRefs(top); err != nil {
		return nil, err
	}
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, root); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	resolved, err := resolve(root)
	if err != nil {
		return nil, fmt.Errorf("resolve schema: %w", err)
	}
	return &schema{root: root, resolved: resolved}, nil
}

// resolve shields the process from the library's assertions.
func resolve(root *jsonschema.Schema) (_ *jsonschema.Resolved, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return root.Resolve(nil)
}

// check makes the arguments fit the schema as far as the package comment
// allows and returns them encoded, or says which argument is wrong and what
// was wanted.
func (s *schema) check(args map[string]any) (json.RawMessage, *writ.Error) {
	f := fitter{root: s.root}
	fitted := f.fit("", args, s.root)
	if len(f.problems) > 0 {
		return nil, invalid("%s", strings.Join(f.problems, "; "))
	}
	raw, err := json.Marshal(fitted)
	if err != nil {
		return nil, invalid("the arguments cannot be encoded: %s", err.Error())
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, invalid("the arguments hold a number out of range: %s", err.Error())
	}
	if err := s.validate(plain); err != nil {
		return nil, invalid("%s", plainly(err))
	}
	return raw, nil
}

func (s *schema) validate(value any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return s.resolved.Validate(value)
}

// plainly turns the library's chain "validating root: validating
// /properties/a/items: minLength: …" into "a[]: minLength: …".
func plainly(err error) string {
	text, place := err.Error(), ""
	for strings.HasPrefix(text, "validating ") {
		head, rest, found := strings.Cut(text, ": ")
		if !found {
			break
		}
		place, text = strings.TrimPrefix(head, "validating "), rest
	}
	var path string
	parts := strings.Split(place, "/")
	for i := 1; i < len(parts); i++ {
		switch {
		case parts[i] == "properties" && i+1 < len(parts):
			i++
			path = join(path, parts[i])
		case parts[i] == "items":
			path += "[]"
		default:
		}
	}
	return at(path) + ": " + quoteLong(text)
}

// quoteLong keeps a message short even where the library puts the whole
// refused value into it.
func quoteLong(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
