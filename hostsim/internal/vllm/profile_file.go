package vllm

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed profiles/*.json
var profileFiles embed.FS

// number is a value in a profile file, with its source.
type number struct {
	Value  *float64 `json:"value"`
	Source string   `json:"source"`
}

// Profiles lists the names of the profiles that are built in, sorted: files, and combinations of cards.json and models.json.
func Profiles() []string {
	entries, _ := profileFiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	names = append(names, derivedNames()...)
	slices.Sort(names)
	return names
}

// LoadProfile returns the built-in profile of that name, or the one in that file if the name has a slash or ends in .json.
// The error lists all names.
func LoadProfile(name string) (Profile, error) {
	if strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".json") {
		data, err := os.ReadFile(name)
		if err != nil {
			return Profile{}, fmt.Errorf("profile: %w", err)
		}
		return ParseProfile(strings.TrimSuffix(filepath.Base(name), ".json"), data)
	}
	if data, err := profileFiles.ReadFile(path.Join("profiles", name+".json")); err == nil {
		return ParseProfile(name, data)
	}
	if p, ok := deriveNamed(name); ok {
		return p, p.Validate()
	}
	return Profile{}, fmt.Errorf("profile %q: none of that name, and no file (its name would end in .json); there are %s", name, strings.Join(Profiles(), ", "))
}

// ParseProfile reads a profile file: every field an object with value and source, beside "about" and "basis".
// Errors name the field that is missing, unknown, without a source or out of its range.
func ParseProfile(name string, data []byte) (Profile, error) {
	p := Profile{Name: name, Sources: map[string]string{}}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
		}
		return Profile{}, fmt.Errorf("profile %s: %w", name, err)
	}
	for key, text := range map[string]*string{"about": &p.About, "basis": (*string)(&p.Basis)} {
		if value, ok := raw[key]; ok {
			if err := json.Unmarshal(value, text); err != nil {
				return Profile{}, fmt.Errorf("profile %s: %s: %w", name, key, err)
			}
			delete(raw, key)
		}
	}
	if !slices.Contains([]Basis{DataSheet, Calibrated, Measured}, p.Basis) {
		return Profile{}, fmt.Errorf("profile %s: basis: %q is none of %q, %q, %q", name, p.Basis, DataSheet, Calibrated, Measured)
	}
	for _, f := range p.fields() {
		text, ok := raw[f.name]
		if !ok && f.optional {
			continue
		}
		if !ok {
			return Profile{}, fmt.Errorf("profile %s: %s: missing", name, f.name)
		}
		delete(raw, f.name)
		source, err := f.parse(text)
		if err != nil {
			return Profile{}, fmt.Errorf("profile %s: %s: %w", name, f.name, err)
		}
		p.Sources[f.name] = source
	}
	for unknown := range raw {
		return Profile{}, fmt.Errorf("profile %s: %s: no such field", name, unknown)
	}
	return p, p.Validate()
}

// parse sets the field and returns the source of its number.
func (f field) parse(text []byte) (source string, err error) {
	var n number
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return "", err
	}
	if n.Value == nil || n.Source == "" {
		return "", fmt.Errorf("needs a value and a source")
	}
	if f.integer == nil {
		*f.float = *n.Value
		return n.Source, nil
	}
	if *n.Value != math.Trunc(*n.Value) || math.Abs(*n.Value) > 1<<52 {
		return "", fmt.Errorf("%v is not a whole number", *n.Value)
	}
	*f.integer = int(*n.Value)
	return n.Source, nil
}

// MarshalJSON writes the profile as ParseProfile reads it, a line for each field; optional fields that are 0 are left out.
func (p Profile) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	about, err := json.Marshal(p.About)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, "{\n  \"about\": %s,\n  \"basis\": %q", about, p.Basis)
	for _, f := range p.fields() {
		if f.optional && f.value() == 0 {
			continue
		}
		source, err := json.Marshal(p.Sources[f.name])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, ",\n  %q: {\"value\": %s, \"source\": %s}", f.name, value, source)
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}
