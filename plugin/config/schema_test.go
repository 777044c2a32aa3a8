package config

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func schemaText(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readSchema(t *testing.T) *value {
	t.Helper()
	root, err := read(schemaText(t))
	if err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	return root
}

// walk visits every property of the schema, with its path, in order.
func walk(schema *value, path string, visit func(path string, property *value, required bool)) {
	var required []string
	for _, name := range schema.get("required").list() {
		required = append(required, name.string())
	}
	properties := schema.get("properties")
	if properties == nil {
		return
	}
	for i, name := range properties.names {
		property := properties.items[i]
		visit(join(path, name), property, slices.Contains(required, name))
		walk(property, join(path, name), visit)
		if items := property.get("items"); items != nil {
			walk(items, join(path, name)+"[]", visit)
			for _, one := range items.get("oneOf").list() {
				walk(one, join(path, name)+"[]", visit)
			}
		}
	}
}

func TestEveryPropertyIsDescribedAndHasADefault(t *testing.T) {
	walk(readSchema(t), "", func(path string, property *value, required bool) {
		if d := property.get("description").string(); !strings.HasSuffix(d, ".") && !strings.HasSuffix(d, ".)") {
			t.Errorf("%s: the description %q is no sentence", path, d)
		}
		fallback := property.get("default")
		if (fallback == nil) != required {
			t.Errorf("%s: required %v, default %v: one of the two", path, required, fallback)
		}
		if fallback != nil {
			if err := validate(property, fallback, path); err != nil {
				t.Errorf("the default is refused: %v", err)
			}
		}
		if kind := property.get("type").string(); kind == "integer" || kind == "number" {
			if property.get("minimum") == nil || property.get("maximum") == nil {
				t.Errorf("%s: a number without a range", path)
			}
		}
	})
}

// Only what validate knows may stand in the schema: a keyword that it ignores
// would be a promise that nobody keeps.
func TestSchemaUsesKnownKeywordsOnly(t *testing.T) {
	known := strings.Fields("$schema title description type format default required properties items oneOf enum " +
		"minimum maximum multipleOf minItems maxItems minLength maxLength additionalProperties x-minimum x-maximum")
	formats := strings.Fields("ip-port header-name own-header-name cluster-name time-span path-pattern request-path json-pointer")
	var check func(path string, schema *value)
	check = func(path string, schema *value) {
		for i, name := range schema.names {
			if !slices.Contains(known, name) {
				t.Errorf("%s: keyword %s is not known", path, name)
			}
			switch inner := schema.items[i]; name {
			case "properties":
				for j, property := range inner.names {
					check(join(path, property), inner.items[j])
				}
			case "items":
				check(path+"[]", inner)
			case "oneOf":
				for _, one := range inner.list() {
					check(path, one)
				}
			case "format":
				if !slices.Contains(formats, inner.string()) {
					t.Errorf("%s: format %s is not known", path, inner.string())
				}
			}
		}
		if schema.get("type").string() == "object" && schema.get("additionalProperties").text != "false" {
			t.Errorf("%s: unknown members are refused, which additionalProperties has to say", path)
		}
	}
	check("", readSchema(t))
}

// snake turns a Go name into the schema's spelling.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func TestConfigCoversEveryProperty(t *testing.T) {
	var got, want []string
	walk(readSchema(t), "", func(path string, property *value, _ bool) { want = append(want, path) })
	var fields func(path string, typ reflect.Type)
	fields = func(path string, typ reflect.Type) {
		for i := range typ.NumField() {
			field := typ.Field(i)
			if field.Anonymous {
				fields(path, field.Type)
				continue
			}
			name := join(path, snake(field.Name))
			if path != "" {
				name = path + "." + snake(field.Name)
			}
			got = append(got, name)
			switch {
			case field.Type.Kind() == reflect.Struct:
				fields(name, field.Type)
			case field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct:
				fields(name+"[]", field.Type.Elem())
			}
		}
	}
	fields("", reflect.TypeOf(Config{}))
	slices.Sort(got)
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], `"`, "")
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the struct has %v\nthe schema    %v", got, want)
	}
}

func TestEnumsAreInTheOrderOfTheSchema(t *testing.T) {
	enums := map[string][]string{
		"policy": policyNames[:PolicyNone], "shadow": policyNames, "steer.target": targetNames, "steer.via": viaNames, "paths[].format": formatNames,
	}
	walk(readSchema(t), "", func(path string, property *value, _ bool) {
		var want []string
		for _, name := range property.get("enum").list() {
			want = append(want, name.string())
		}
		got := enums[strings.ReplaceAll(path, `"`, "")]
		if !slices.Equal(got, want) {
			t.Errorf("%s: Go has %v, the schema %v", path, got, want)
		}
	})
	for name, got := range map[string]string{
		"prefix_hash": PolicyPrefixHash.String(), "cluster": TargetCluster.String(), "header": ViaHeader.String(),
		"pointer": FormatPointer.String(), "": FormatBuiltIn.String(), "unknown": Policy(200).String(),
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

// schema.min.json is the schema without descriptions; go test -update rewrites it.
func TestEmbedded(t *testing.T) {
	short := regexp.MustCompile(`"(description|\$schema|title)": "(?:[^"\\]|\\.)*",?`).ReplaceAll(schemaText(t), nil)
	var b bytes.Buffer
	if err := json.Compact(&b, short); err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.min.json", b.String())
	if b.String() != schema {
		t.Error("what was tested has the former schema.min.json: run it once more")
	}
}

// README.md is the table of the schema; go test -update rewrites it.
func TestReadme(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Configuration\n\nThe plugin's configuration is one JSON object. This table is made from [schema.json](schema.json) by\n" +
		"`go test ./plugin/config -update`. `[]` stands for each item of a list.\n\n" +
		"| field | type | default | allowed | meaning |\n|---|---|---|---|---|\n")
	walk(readSchema(t), "", func(path string, p *value, required bool) {
		fallback := "required"
		if d := p.get("default"); d != nil {
			fallback = "`" + source(d) + "`"
		}
		row := []string{"`" + strings.ReplaceAll(path, `"`, "") + "`", p.get("type").string(), fallback, limits(p), p.get("description").string()}
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	})
	golden(t, "README.md", b.String())
}

// limits tells in words what a schema allows.
func limits(p *value) string {
	var all []string
	if names := p.get("enum").list(); len(names) > 0 {
		all = append(all, list(names))
	}
	if least, most := p.get("minimum"), p.get("maximum"); least != nil {
		all = append(all, least.text+" to "+most.text)
	}
	if least, most := p.get("x-minimum"), p.get("x-maximum"); least != nil {
		all = append(all, least.text+" to "+most.text)
	}
	if step := p.get("multipleOf"); step != nil {
		all = append(all, "a multiple of "+step.text)
	}
	if most := p.get("maxItems"); most != nil {
		least := p.get("minItems")
		if least == nil {
			least = &value{text: "0"}
		}
		all = append(all, least.text+" to "+most.text+" items")
	}
	if format := p.get("format").string(); format != "" && p.get("x-minimum") == nil {
		all = append(all, strings.ReplaceAll(format, "-", " "))
	}
	if most := p.get("maxLength"); most != nil {
		all = append(all, "up to "+most.text+" characters")
	}
	return strings.Join(all, "; ")
}

// source writes a default as JSON; defaults are scalars, {} or lists of strings.
func source(v *value) string {
	switch v.kind {
	case isObject:
		return "{}"
	case isArray:
		var items []string
		for _, item := range v.items {
			items = append(items, source(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return show(v)
}
