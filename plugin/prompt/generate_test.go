package prompt

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// choices are the decisions of the generator of bodies, taken from fuzzed or random bytes; 0 when they have run out.
type choices struct {
	bytes []byte
}

func (c *choices) next(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := int(c.bytes[0])
	c.bytes = c.bytes[1:]
	return b % n
}

func pick[T any](c *choices, of ...T) T { return of[c.next(len(of))] }

// generated writes JSON that mostly has the shape of an LLM request: any members in any order and number, any spelling.
type generated struct {
	choices
	strings.Builder
	left int // values that may still be written
}

func generateBody(choice []byte) (Format, []byte) {
	g := &generated{choices: choices{choice}, left: 200}
	f := Chat + Format(g.next(int(Pointer)))
	g.WriteString(g.mostly("", "\xef\xbb\xbf", "\xef\xbb", "\xef"))
	g.value(int(pick(&g.choices, sChatRoot, rootOf[f], rootOf[f], rootOf[f], rootOf[f])), 0)
	g.WriteString(g.mostly("", " \n", "x", "{}"))
	return f, []byte(g.String())
}

// mostly is usual, but now and then one of the others.
func (g *generated) mostly(usual string, others ...string) string {
	if g.next(64) != 63 {
		return usual
	}
	return pick(&g.choices, others...)
}

func (g *generated) space() {
	g.WriteString(pick(&g.choices, "", "", "", "", "", "", " ", "\n\t", "\r "))
}

// value writes a value that has, more often than not, the given shape.
func (g *generated) value(id, depth int) {
	g.space()
	defer g.space()
	sh := &shapes[id]
	if g.left--; g.left < 0 || depth > MaxDepth+2 {
		g.WriteString("null")
		return
	}
	kind := g.next(128)
	fits := func(o op) bool { return o != opSkip && o != opBad }
	switch {
	case kind == 127:
		g.odd()
	case kind == 126:
		g.WriteString(pick(&g.choices, "null", "null", "true", "false"))
	case fits(sh.obj) && (kind < 80 || !fits(sh.str) && !fits(sh.arr)) || kind == 125:
		g.object(sh, depth)
	case fits(sh.arr) && (!fits(sh.str) || kind%2 == 0) || kind == 124:
		g.array(sh, depth)
	case fits(sh.scalar) && (!fits(sh.str) || kind%4 == 1) || kind == 123:
		g.number()
	default:
		g.text()
	}
}

func (g *generated) object(sh *shape, depth int) {
	table := sh.members
	if sh.obj == opRoot || g.next(8) == 7 {
		table = append(append([]member(nil), table...), common...)
	}
	g.WriteByte('{')
	for i := range g.next(6) {
		if i > 0 {
			g.WriteByte(',')
		}
		g.space()
		to := sSkip
		if n := g.next(len(table) + 2); n < len(table) {
			to = table[n].shape
			g.quote(table[n].key)
		} else if n == len(table) {
			g.quote(pick(&g.choices, "cache_control", "type", "request", "body", "text", "a", "~", "0", strings.Repeat("k", 300)))
			to = pick(&g.choices, sDump, sTarget, sSkip, sPointed)
		} else {
			g.text()
		}
		g.space()
		g.WriteByte(':')
		g.value(int(to), depth+1)
	}
	g.WriteString(g.mostly("}", "]"))
}

func (g *generated) array(sh *shape, depth int) {
	g.WriteByte('[')
	to := sh.elem
	if to == sPiece && g.next(3) == 0 {
		to = sTokens
	}
	for i := range g.next(5) {
		if i > 0 {
			g.WriteByte(',')
		}
		g.value(int(to), depth+1)
	}
	g.WriteByte(']')
}

func (g *generated) number() {
	g.WriteString(g.mostly(pick(&g.choices, "0", "1", "17", "128000", "4294967295"), "4294967296", "-1", "-0", "1.0", "2e3", "1E-7",
		"01", "1.", "99999999999999999999999999", strings.Repeat("7", 300), "+1", ".5", "-", "NaN"))
}

// quote writes s as a string, some of it escaped.
func (g *generated) quote(s string) {
	g.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; g.next(16) == 15 {
			h := "000" + strconv.FormatInt(int64(c), 16)
			g.WriteString(`\u` + h[len(h)-4:])
		} else {
			g.WriteByte(c)
		}
	}
	g.WriteByte('"')
}

func (g *generated) text() {
	g.WriteByte('"')
	g.WriteString(g.billed())
	for range g.next(7) {
		g.WriteString(pick(&g.choices, "user", "system", "assistant", "developer", "plain words", "ö", "漢字かな", "🍎", `\n`, `\"`, `\\`, `\/`,
			`\u00e9`, `\ud83c\udf4e`, `\ud83c`, `\udf4e`, "\xff", "\xe2\x82", "\xf0\x9f", strings.Repeat("long ", 60), "data:image/png;base64,QUJD",
			"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", `\u0000`, "\u007f", "}", "]", g.mostly("", `\x`, `\u12`, "\x01")))
	}
	g.WriteByte('"')
}

// billed begins a text as Claude Code does, or nearly so.
func (g *generated) billed() string {
	if g.next(4) != 3 {
		return ""
	}
	return pick(&g.choices, billing, billing+": cch=1;", billing+`\n`, billing+`: cch=2;\u000a`, billing[:1], billing[:25], `\u0078`+billing[1:], billing[:9]+"é", "y"+billing)
}

func (g *generated) odd() {
	deep := 40 + g.next(40)
	g.WriteString(pick(&g.choices, "{", "[", "nul", "truee", `"`, ",", ":", "", strings.Repeat("[", deep)+strings.Repeat("]", deep),
		"{}", "[]", `""`, "null", "null", "[null]", "[[]]"))
}

// randomChoices are n random bytes for seed; a third of them are biased to 0, the plainest choice.
func randomChoices(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
		if seed%3 == 0 && r.Uint32()%4 == 0 {
			b[i] = 0
		}
	}
	return b
}

func TestGeneratedBodiesAgainstOracle(t *testing.T) {
	const n = 50000
	ready := 0
	for seed := range uint64(n) {
		choice := randomChoices(seed, 600)
		f, body := generateBody(choice)
		pointer := fuzzPointers[int(seed)%len(fuzzPointers)]
		limit := 64 << (seed % 8)
		checkOracle(t, f, pointer, body, limit, choice[0]%9, choice[1])
		if _, err := oracle(body, f, pointer, limit); err == nil {
			ready++
		}
	}
	if ready < n/10 {
		t.Errorf("only %d of %d generated bodies had a prompt: the test has lost its point", ready, n)
	}
	t.Logf("%d of %d had a prompt", ready, n)
}

// FuzzGenerated is FuzzOracle on bodies that a grammar writes.
func FuzzGenerated(f *testing.F) {
	for seed := range uint64(64) {
		f.Add(randomChoices(seed, 300), uint16(64+seed*7), []byte{byte(seed), 3})
	}
	f.Fuzz(func(t *testing.T, choice []byte, limit uint16, sizes []byte) {
		format, body := generateBody(choice)
		checkOracle(t, format, fuzzPointers[int(limit)%len(fuzzPointers)], body, int(limit), sizes...)
	})
}
