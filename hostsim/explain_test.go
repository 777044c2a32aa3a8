package main

import (
	"strings"
	"testing"
)

// A decision is found wherever a log has it; a line without one is told from one that was left alone.
func TestExplainOfALog(t *testing.T) {
	const decision = "pool=chat;policy=cache_aware;reason=match;endpoint=10.0.0.1:8000;next=10.0.0.2:8000,10.0.0.3:8000;matched=16;blocks=16"
	for _, line := range []string{decision, "200 - 108ms upstream=10.0.0.1:8000 attempts=1 " + decision, `{"path":"/v1/completions","decision":"` + decision + `","x":"a=b;c=d"}`} {
		for stdin, args := range map[string][]string{"": {"explain", line}, line + "\n": {"explain"}, "-\n" + line + "\n": {"explain", "-"}} {
			status, out, errs := hostsim(stdin, args...)
			if status != 0 || strings.Count(out, "\n") != 7 || !strings.Contains(out, "no endpoint is known to hold more of the prompt") || !strings.Contains(out, "10.0.0.2:8000,10.0.0.3:8000") {
				t.Errorf("%s: status %d\n%s%s", line, status, out, errs)
			}
		}
	}
	if status, out, _ := hostsim(decision+"\n"+decision+"\n", "explain"); status != 0 || strings.Count(out, "\n") != 15 {
		t.Errorf("two decisions: status %d\n%s", status, out)
	}
	if status, _, errs := hostsim("POST /v1/completions 200 -\n", "explain"); status != 1 || !strings.Contains(errs, "left the request alone") {
		t.Errorf("status %d: %s", status, errs)
	}
}
