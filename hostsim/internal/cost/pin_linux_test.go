package cost

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is bound stays on that processor.
func TestPin(t *testing.T) {
	all := processors()
	if len(all) == 0 {
		t.Fatal("this process may use no processor")
	}
	child := exec.Command("cat")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Wait() }()
	defer stdin.Close() // ends it
	last := all[len(all)-1]
	if err := pin(child.Process.Pid, last); err != nil {
		t.Fatal(err)
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(child.Process.Pid, &set); err != nil || set.Count() != 1 || !set.IsSet(last) {
		t.Errorf("bound to processor %d: %v, %v", last, set, err)
	}
}
