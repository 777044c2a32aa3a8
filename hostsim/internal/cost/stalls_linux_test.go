package cost

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestStallsAreCounted(t *testing.T) {
	s := &stalls{requests: 10_000, sum: 1000, longest: 2.345}
	s.counts[10], s.counts[70], s.counts[150], s.counts[234] = 9988, 8, 3, 1
	want := Stall{Variant: "v", Requests: 10_000, Longest: 2.345, Above: [3]int{12, 4, 1}, At: [3]float64{0.1, 0.71, 1.51}}
	if got := s.row("v"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.counts[len(s.counts)-1]++
	if got := s.row("v"); got.Above != [3]int{13, 5, 2} {
		t.Errorf("one that is longer than all: got %v above the bounds", got.Above)
	}
}

// The kernel counts what a thread computes, and not what it waits for.
func TestTimeOfThreadIsCPU(t *testing.T) {
	names, _ := filepath.Glob("/proc/self/task/*/schedstat")
	if len(names) == 0 {
		t.Fatal("no /proc/self/task/*/schedstat: this needs Linux")
	}
	file, err := os.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	from, err := readTime(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	time.Sleep(20 * time.Millisecond)
	if to, err := readTime(file); err != nil || to < from || to-from > time.Since(began).Nanoseconds() {
		t.Errorf("from %d to %d ns within %v (%v)", from, to, time.Since(began), err)
	}
}
