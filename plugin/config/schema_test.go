package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"warmroute/plugin/prompt"
	"warmroute/testdata/golden"
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
		if property.get("$ref") != nil || name == "$schema" { // it is visited where it stands; it is no setting
			continue
		}
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

// What a pool may have of the top level is listed for people, too.
func TestPoolsDescribeWhatTheyMayHave(t *testing.T) {
	pools := readSchema(t).get("properties").get("pools")
	said, own := pools.get("description").string(), pools.get("items").get("properties")
	for i, name := range own.names {
		if own.items[i].get("$ref") != nil && !strings.Contains(said, "`"+name+"`") {
			t.Errorf("the description of pools does not have %s", name)
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
			var f faults
			if f.validate(property, fallback, path); len(f.list) > 0 {
				t.Errorf("the default is refused: %v", f.list)
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
	known := strings.Fields("$schema $id title description type format default required properties items oneOf enum " +
		"minimum maximum multipleOf minItems maxItems minLength maxLength additionalProperties x-minimum x-maximum $ref")
	formats := strings.Fields("ip-port header-name own-header-name cluster-name time-span path-pattern request-path json-pointer " +
		"cluster-pattern model-pattern pool-name environment-variable")
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
			if field.Type == reflect.TypeOf(Pool{}) && path != "" { // a pool's, by reference
				continue
			}
			if field.Anonymous {
				fields(path, field.Type)
				continue
			}
			if strings.HasSuffix(field.Name, "Secret") || field.Name == "Listener" || !field.IsExported() {
				continue // no document has it: everybody may read those; only the proxy knows it
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

// A pool may have each field of the top level that belongs to a pool, and no other.
func TestPoolsReferToTheTopLevel(t *testing.T) {
	var got, want []string
	for i, name := range readSchema(t).get("properties").get("pools").get("items").get("properties").names {
		property := readSchema(t).get("properties").get("pools").get("items").get("properties").items[i]
		if to := property.get("$ref").string(); to != "" {
			got = append(got, name)
			if to != "#/properties/"+name {
				t.Errorf("%s refers to %s", name, to)
			}
		}
	}
	var fields func(typ reflect.Type)
	fields = func(typ reflect.Type) {
		for i := range typ.NumField() {
			if field := typ.Field(i); field.Anonymous {
				fields(field.Type)
			} else {
				want = append(want, snake(field.Name))
			}
		}
	}
	fields(reflect.TypeOf(Pool{}))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("pools refer to %v, want %v", got, want)
	}
}

// names lists what String says of the constants 0 to n−1, and then more.
func names[T interface {
	~uint8
	String() string
}](n T, more ...string) (all []string) {
	for i := range n {
		all = append(all, i.String())
	}
	return append(all, more...)
}

// enums are the schema's, by the paths of their properties. Those of the policies and the formats are written into
// schema.json by go generate.
var enums = map[string][]string{
	"policy": names(Policies), "shadow": names(Policies, ""), "paths[].format": append(prompt.Formats(), ""),
	"role": roleNames, "steer.target": targetNames, "steer.via": viaNames, "policy_header_from": fromNames, "peers.trust": trustNames, "experiment.policy": names(Policies),
}

func TestEnumsAreInTheOrderOfTheSchema(t *testing.T) {
	walk(readSchema(t), "", func(path string, property *value, _ bool) {
		var got []string
		for _, name := range property.get("enum").list() {
			got = append(got, name.string())
		}
		if want := enums[strings.ReplaceAll(path, `"`, "")]; !slices.Equal(got, want) {
			t.Errorf("%s: Go has %v, the schema %v", path, want, got)
		}
	})
	for name, got := range map[string]string{
		"prefix_hash": PolicyPrefixHash.String(), "cluster": TargetCluster.String(), "header": ViaHeader.String(),
		"": PolicyNone.String(), "unknown": Policy(200).String(),
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

// A line of the table that was forgotten has no name; and one input of each is what the documents group them by.
func TestPolicies(t *testing.T) {
	seen := map[string]bool{}
	for p := range Policies {
		if p.String() == "" || seen[p.String()] {
			t.Errorf("policy %d is called %q: it needs a line of its own in policies.go", p, p)
		}
		seen[p.String()] = true
		if n := count(p.ByLoad(), p.HasKey(), p.NeedsIndex()); n != 1 {
			t.Errorf("%v decides by %d things, want one", p, n)
		}
	}
}

func count(all ...bool) (n int) {
	for _, one := range all {
		if one {
			n++
		}
	}
	return n
}

// generated is schema.json with what policies.go and the formats of prompt say in it: three enums, and the description of
// policy.
func generated(text []byte) []byte {
	var rules strings.Builder
	rules.WriteString("How an endpoint is chosen.")
	for _, by := range []struct {
		what string
		is   func(Policy) bool
	}{{"load", Policy.ByLoad}, {"a key on a consistent hash ring", Policy.HasKey}, {"what each endpoint's cache holds", Policy.NeedsIndex}} {
		before := " By " + by.what + ": "
		for p := range Policies {
			if !by.is(p) {
				continue
			}
			rules.WriteString(before + "`" + p.String() + "`")
			if rule := policies[p].rule; rule != "" {
				rules.WriteString(" (" + rule + ")")
			}
			before = ", "
		}
		rules.WriteString(".")
	}
	text = replace(text, "policy", "description", strconv.Quote(rules.String()))
	for path, names := range map[string][]string{"policy": enums["policy"], "shadow": enums["shadow"], "format": enums["paths[].format"]} {
		list, _ := json.Marshal(names)
		text = replace(text, path, "enum", strings.ReplaceAll(string(list), ",", ", "))
	}
	return text
}

// replace sets the line of a keyword within a property.
func replace(text []byte, property, keyword, value string) []byte {
	at := regexp.MustCompile(`("` + property + `": \{\n(?:[^}]*\n)? *"` + keyword + `": ).*(,\n)`)
	if keyword == "description" { // of the first: that of another property of the name is its own
		if first := at.FindIndex(text); first != nil {
			changed := at.ReplaceAll(text[first[0]:first[1]], []byte("${1}"+strings.ReplaceAll(value, "$", "$$")+"${2}"))
			return slices.Concat(text[:first[0]], changed, text[first[1]:])
		}
	}
	return at.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(value, "$", "$$")+"${2}"))
}

// embedded is the schema without descriptions, as the module has it.
func embedded(text []byte) string {
	short := regexp.MustCompile(`"(description|\$schema|\$id|title)": "(?:[^"\\]|\\.)*",?`).ReplaceAll(text, nil)
	var b bytes.Buffer
	if err := json.Compact(&b, short); err != nil {
		panic(err)
	}
	return b.String()
}

// With -update the schema is made first of all, so that every test sees the new one.
func TestMain(m *testing.M) {
	flag.Parse()
	if golden.Updating() {
		if err := updateSchema(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func updateSchema() error {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		return err
	}
	text = generated(text)
	schema = embedded(text)
	return errors.Join(os.WriteFile("schema.json", text, 0o644), os.WriteFile("schema.min.json", []byte(schema), 0o644))
}

func TestSchemaIsInStep(t *testing.T) {
	text := schemaText(t)
	if diff := cmp.Diff(string(generated(text)), string(text)); diff != "" {
		t.Errorf("schema.json is not what policies.go and prompt.Formats say: go generate ./plugin/config (-want +got):\n%s", diff)
	}
	if embedded(text) != schema {
		t.Error("schema.min.json is not schema.json without its descriptions: go generate ./plugin/config")
	}
}

func TestSchemaKnowsTheMostEndpoints(t *testing.T) {
	properties := readSchema(t).get("properties")
	for name, got := range map[string]*value{
		"endpoints": properties.get("endpoints").get("maxItems"), "metric_endpoints": properties.get("metric_endpoints").get("maximum"),
	} {
		if got.count() != MaxEndpoints {
			t.Errorf("%s: at most %s, want MaxEndpoints, %d", name, got.text, MaxEndpoints)
		}
	}
}
