package timeline

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// sessions links the calls to sessions, in order of time: by the name that a call has, by the answer that it says it
// continues, or because its prompt extends that of an earlier call. It also finds answers' lengths in the turns after.
type sessions struct {
	chats   map[uint64]int // hash of all turns of a chat → its call
	texts   map[uint64]int // hash of a whole prompt → its call
	lengths []int          // of these prompts, ordered
	answers map[string]int // id of an answer → its call
	calls   []*call.Call
	after   []int // the call that each one follows, or -1
	account *Account
}

// shortPrompt is how long a prompt must be, in bytes, to be taken for the beginning of another.
const shortPrompt = 64

// maxLengths bounds the lengths of prompts that are compared.
const maxLengths = 1 << 14

// link fills in sessions and, where the log does not say them, the tokens of answers. It returns after which call each came; −1: after none.
func link(calls []*call.Call, account *Account) []int {
	if name := calls[0].Session; name != "" && !slices.ContainsFunc(calls, func(r *call.Call) bool { return r.Session != name }) && apart(calls) {
		for _, r := range calls { // the name of a project, say
			r.Session = ""
		}
	}
	return follow(calls, account)
}

// apart says whether calls are of several sessions, as far as their prompts show.
func apart(calls []*call.Call) bool {
	copies := make([]*call.Call, len(calls))
	for i, r := range calls {
		one := *r
		one.Session = ""
		copies[i] = &one
	}
	follow(copies, &Account{})
	return slices.ContainsFunc(copies, func(r *call.Call) bool { return r.Session != copies[0].Session })
}

func follow(calls []*call.Call, account *Account) []int {
	s := &sessions{chats: map[uint64]int{}, texts: map[uint64]int{}, answers: map[string]int{}, calls: calls, account: account}
	last := map[string]int{}
	uses := map[string]int{}
	for _, r := range calls {
		uses[r.Session]++
	}
	for i, r := range calls {
		if uses[r.Session] == 1 { // rather the request's own name, as LiteLLM's trace_id is by default
			r.Session = ""
		}
		before := -1
		turns, prompt := parts(r.Object())
		continued := s.continued(r, turns, prompt) // also finds lengths of answers
		at, known := last[r.Session]
		switch {
		case r.Session != "" && known:
			before = at
			account.Named++
		case r.Session != "":
			account.Named++
		case continued >= 0:
			before = continued
			r.Session = calls[before].Session
			account.Inferred++
		default:
			r.Session = "request " + strconv.Itoa(i)
		}
		s.after = append(s.after, before)
		last[r.Session] = i
		s.remember(i, turns, prompt)
	}
	return s.after
}

// parts are what a prompt is compared by: a chat's turns, each compact, or the bytes of a prompt.
func parts(body loose.Object) (turns [][]byte, prompt []byte) {
	for _, name := range []string{"messages", "input"} {
		if list := body[name].Items(); len(list) > 0 {
			for _, item := range list {
				turns = append(turns, item.Compact())
			}
			return turns, nil
		}
	}
	for _, name := range []string{"prompt", "input"} {
		if text, is := body[name].Quoted(); is {
			return nil, []byte(text)
		}
	}
	var ids []int
	if json.Unmarshal(body["prompt"].Bytes(), &ids) == nil {
		return nil, slices.Concat(bytes.TrimSuffix(body["prompt"].Compact(), []byte("]")), []byte(",")) // in memory of its own: the rest is the call's
	}
	return nil, nil
}

// continued finds the call whose prompt this one's extends, -1 if there is none.
func (s *sessions) continued(r *call.Call, turns [][]byte, prompt []byte) int {
	if at, ok := s.answers[r.Follows]; ok && r.Follows != "" {
		return at
	}
	hashes := chain(turns)
	for n := len(turns) - 1; n >= 1; n-- {
		if at, ok := s.chats[hashes[n-1]]; ok {
			if role, length := turnOf(turns[n]); role == "assistant" && s.calls[at].Answer.Tokens == 0 && length > 0 {
				s.calls[at].Answer.Tokens = call.Tokens(length)
				s.account.NextTurn++
			}
			return at
		}
	}
	h := xxhash.New()
	done, best := 0, -1
	for _, n := range s.lengths {
		if n >= len(prompt) {
			break
		}
		_, _ = h.Write(prompt[done:n])
		done = n
		if at, ok := s.texts[h.Sum64()]; ok {
			best = at
		}
	}
	return best
}

func (s *sessions) remember(i int, turns [][]byte, prompt []byte) {
	if len(turns) > 0 {
		hashes := chain(turns)
		s.twice(s.chats, hashes[len(hashes)-1], i)
		s.chats[hashes[len(hashes)-1]] = i
	}
	if len(prompt) >= shortPrompt {
		s.twice(s.texts, xxhash.Sum64(prompt), i)
		s.texts[xxhash.Sum64(prompt)] = i
		if at, found := slices.BinarySearch(s.lengths, len(prompt)); !found && len(s.lengths) < maxLengths {
			s.lengths = slices.Insert(s.lengths, at, len(prompt))
		}
	}
	if id := s.calls[i].Answer.ID; id != "" {
		s.answers[id] = i
	}
}

// TwiceWithin is how soon the same prompt comes again, in seconds, where a log has one request twice.
const TwiceWithin = 2

// twice counts call i if its prompt has just come.
func (s *sessions) twice(prompts map[uint64]int, hash uint64, i int) {
	if at, known := prompts[hash]; known && s.calls[i].At-s.calls[at].At <= TwiceWithin {
		s.account.Twice++
	}
}

// chain is the hash of each beginning of the turns.
func chain(turns [][]byte) []uint64 {
	h := xxhash.New()
	out := make([]uint64, len(turns))
	for i, t := range turns {
		_, _ = h.Write(t)
		_, _ = h.Write([]byte{0})
		out[i] = h.Sum64()
	}
	return out
}

// turnOf is a turn's role and the bytes of its text.
func turnOf(turn []byte) (role string, length int) {
	one := loose.Read(turn)
	return one.Object()["role"].Text(), chats.TextLength(one, 3)
}

// order sorts calls by time, and keeps the order of those of equal times.
func order(calls []*call.Call) {
	sort.SliceStable(calls, func(a, b int) bool { return calls[a].At < calls[b].At })
}
