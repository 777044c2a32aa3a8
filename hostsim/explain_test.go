package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
)

func TestEveryReasonHasAMeaning(t *testing.T) {
	for _, reason := range route.Reasons {
		if reasons[reason] == "" {
			t.Errorf("reason %s: no meaning", reason)
		}
	}
	if len(reasons) != len(route.Reasons) {
		t.Errorf("%d meanings for %d reasons", len(reasons), len(route.Reasons))
	}
	all := givenWhys(t)
	for why := prompt.BrokenJSON; why.String() != "unknown"; why++ {
		all[why.String()] = true
	}
	for why := range all {
		if whys[why] == "" {
			t.Errorf("why %s: no meaning", why)
		}
	}
	for why := range whys {
		if !all[why] {
			t.Errorf("why %s has a meaning, and is never given", why)
		}
	}
}

// givenWhys reads from the module's source what it gives as a why: the texts that stand where a function's result or
// parameter of that name does. What passes unsteered is not explained.
func givenWhys(t *testing.T) map[string]bool {
	all := map[string]bool{}
	give := func(e ast.Expr) {
		if text, ok := e.(*ast.BasicLit); ok && text.Value != `""` {
			all[strings.Trim(text.Value, `"`)] = true
		}
	}
	takes := map[string]int{} // functions with a parameter why, and its place
	var files []*ast.File
	for _, folder := range []string{"../plugin", "../plugin/inspect", "../plugin/route"} {
		names, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no source: %v", folder, err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				files = append(files, file)
			}
		}
	}
	functions := func(do func(f *ast.FuncDecl)) {
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					do(f)
				}
			}
		}
	}
	functions(func(f *ast.FuncDecl) {
		if at := placeOf("why", f.Type.Params); at >= 0 && f.Name.Name != "pass" {
			takes[f.Name.Name] = at
		}
	})
	functions(func(f *ast.FuncDecl) {
		result := placeOf("why", f.Type.Results)
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ReturnStmt:
				passes := slices.ContainsFunc(n.Results, func(e ast.Expr) bool { name, ok := e.(*ast.Ident); return ok && name.Name == "Pass" })
				if result >= 0 && len(n.Results) > result && !passes {
					give(n.Results[result])
				}
			case *ast.CallExpr:
				name, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				if at, ok := takes[name.Sel.Name]; ok && len(n.Args) > at {
					give(n.Args[at])
				}
			}
			return true
		})
	})
	return all
}

// placeOf is the place of a name among parameters or results; −1 where it is none of them.
func placeOf(name string, fields *ast.FieldList) int {
	place := 0
	if fields != nil {
		for _, field := range fields.List {
			for _, id := range field.Names {
				if id.Name == name {
					return place
				}
				place++
			}
		}
	}
	return -1
}

func TestEveryFieldHasAMeaning(t *testing.T) {
	for _, name := range strings.Fields("policy reason why endpoint next served key home home_in_flight bound in_flight other_in_flight " +
		"waiting given matched blocks score cost_s margin queued_tokens uncached_tokens tokens_per_s ttft_us prompt_tokens cached_tokens") {
		if meaningOf(name, "1", "") == "" {
			t.Errorf("%s: no meaning", name)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ decision, want string }{
		{"", "passed on unsteered: not an LLM request that warmroute reads\n"},
		{"new=1;reason=home;policy=prefix_hash", "policy prefix_hash the rule in force\n" +
			"reason home the ring gives it this key, and nothing speaks against it\nnew 1 \n"},
		{"reason=by_load;why=broken_json", "reason by_load least loaded, as the prompt was not gone by\n" +
			"why broken_json the body is not JSON, or is cut short\n"},
		{"reason=by_load", "reason by_load least loaded: nobody is known to hold any of the prompt, or the policy does not ask\n"},
	} {
		var out bytes.Buffer
		err := explain(&out, c.decision)
		if got := regexp.MustCompile(" +").ReplaceAllString(out.String(), " "); err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %swant %s", c.decision, err, got, c.want)
		}
	}
}
