package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/finding"
)

// What a chat template puts first, the tools or the system prompt, decides what prompts share that have one of them in common
// (docs/notes.md, "Prompts"). A server says it by what vLLM's /tokenize makes of two chats with the same tools.

// order is what a server's chat template puts first.
type order string

const (
	unknownOrder order = "" // it has no /tokenize, no such template, or leaves out tools
	systemFirst  order = "the system prompt before the tools"
	toolsFirst   order = "the tools before the system prompt"
)

// probeTool is longer than all that templates say of tools by themselves.
var probeTool = strings.Repeat("Read a line of the book. ", 100)

// orderOf asks a server for the order of its template for a model.
func orderOf(ctx context.Context, host, model string, timeout time.Duration) order {
	a, b := tokensOf(ctx, host, model, "Amber is a colour.", timeout), tokensOf(ctx, host, model, "Two and two are four.", timeout)
	alike := 0
	for alike < min(len(a), len(b)) && a[alike] == b[alike] {
		alike++
	}
	switch {
	case len(a) < len(probeTool)/10 || alike == len(a):
		return unknownOrder
	case alike > len(a)/2:
		return toolsFirst
	}
	return systemFirst
}

// tokensOf are the tokens of a chat with a tool; none: the server does not say.
func tokensOf(ctx context.Context, host, model, system string, timeout time.Duration) []uint32 {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"system","content":%q},{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"read","description":%q,"parameters":{"type":"object","properties":{}}}}]}`,
		model, system, probeTool)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host+"/tokenize", strings.NewReader(body))
	if err != nil {
		return nil
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var answer struct{ Tokens []uint32 }
	if response.StatusCode != http.StatusOK || json.NewDecoder(http.MaxBytesReader(nil, response.Body, 1<<20)).Decode(&answer) != nil {
		return nil
	}
	return answer.Tokens
}

// compareOrder names replicas of a pool whose template has another order than the module takes it to have.
func compareOrder(all []replica, f fleet) []finding.Finding {
	want, cure := systemFirst, "tools_first: true; in a pool of its own (pools) if the pool's other models have the system prompt first"
	if f.tools {
		want, cure = toolsFirst, "tools_first: false"
	}
	var unlike []string
	var has order
	for _, r := range all {
		if r.fault == "" && r.order != unknownOrder && r.order != want && slices.Contains(f.hosts, r.address) {
			unlike, has = append(unlike, r.address), r.order
		}
	}
	if len(unlike) == 0 {
		return nil
	}
	return []finding.Finding{finding.Weak.At("replicas", fmt.Sprintf("the chat template at %s has %s, and tools_first is %v: it is misjudged what prompts of the same tools share", finding.Some(unlike), has, f.tools), cure)}
}
