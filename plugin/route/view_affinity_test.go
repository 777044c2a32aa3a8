package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
)

// A gateway that has seen one conversation that begins alike looks for another one where one that has seen many does; unless it is mostly what they
// have in common, or its first turn, or no conversation.
func TestGatewaysMeetByWhereConversationsPart(t *testing.T) {
	key := func(seen int, of *prompt.Prompt) uint64 {
		r := routerOf(config.PolicyCacheAware, 8)
		for i := range seen {
			r.turn(100+i, 10, second)
			r.turn(100+i, 11, 2*second)
		}
		for i := range 8 {
			showing(r, i, 3*second, 100)
		}
		if r.Company() == 0 {
			t.Fatal("no other gateway is seen")
		}
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: of, Now: 3 * second}, d)
		return d.Key
	}
	text := chat(1, 20)
	text.Format, text.SystemLen, text.Session, text.SessionFrom = prompt.Completions, 0, nil, prompt.NoSession
	for name, c := range map[string]struct {
		of   *prompt.Prompt
		meet bool
	}{
		"a conversation":                  {chat(1, 20), true},
		"mostly what they have in common": {chat(1, 1), false},
		"no conversation":                 {text, false},
	} {
		if one, many := key(1, c.of), key(5, c.of); (one == many) != c.meet {
			t.Errorf("%s: by one other %x, by five %x; the same: want %v", name, one, many, c.meet)
		}
	}
}
