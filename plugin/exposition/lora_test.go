package exposition

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// keysOf are the keys of names.
func keysOf(names ...string) (keys []uint32) {
	for _, name := range names {
		keys = append(keys, Adapter([]byte(name)))
	}
	return keys
}

func adaptersOf(l *Load) (keys []uint32) {
	for _, key := range l.Adapters {
		if key != 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// The series of a page together say when each adapter was used last.
func TestAdapters(t *testing.T) {
	line := func(running, waiting string, at float64) string {
		return fmt.Sprintf(`vllm:lora_requests_info{max_lora="4",running_lora_adapters="%s",waiting_lora_adapters="%s"} %g`+"\n", running, waiting, at)
	}
	for _, c := range []struct {
		name, page string
		want       []string
	}{
		{"none", line("", "", 5), nil},
		{"one", line("a", "", 5), []string{"a"}},
		{"later first", line("a,b", "", 5) + line("c", "", 7) + line("b", "d", 6), []string{"c", "b", "d", "a"}},
		{"used again", line("a", "", 5) + line("b", "", 6) + line("a,c", "", 9), []string{"a", "c", "b"}},
		{"blanks", line(" a , b ", "", 5), []string{"a", "b"}},
	} {
		for _, step := range []int{1, 7, 1000} {
			l := readPage([]byte(c.page), step)
			if got := adaptersOf(&l); !slices.Equal(got, keysOf(c.want...)) || l.AdapterSlots != 4 || l.Has&HasAdapters == 0 {
				t.Errorf("%s in pieces of %d: %v of %d slots, want %v", c.name, step, got, l.AdapterSlots, keysOf(c.want...))
			}
		}
	}
	var page strings.Builder
	var last []string
	for i := range 40 {
		page.WriteString(line(fmt.Sprintf("adapter-%d", i), "", float64(1000+i)))
		last = append([]string{fmt.Sprintf("adapter-%d", i)}, last...)
	}
	l := readPage([]byte(page.String()), 100)
	if got := adaptersOf(&l); !slices.Equal(got, keysOf(last[:MaxAdapters]...)) {
		t.Errorf("of forty %v are kept", got)
	}
}
