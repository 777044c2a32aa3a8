//go:build e2eistio

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a program that runs beside the tests.
type process struct {
	name string
	log  string // path of what it writes
	cmd  *exec.Cmd
	done chan struct{}
}

// start runs argv in dir, with more added to a bare environment.
func start(dir, name string, more []string, argv ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, more...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s (./build.sh e2e-istio builds it): %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stop ends the process, by force after half a minute: with those that it started, which would keep their ports.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		for _, pid := range append(children(p.cmd.Process.Pid), p.cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-p.done
	}
}

// text is what the process has written so far.
func (p *process) text() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// await waits until ready says so. A process that ends before, or is not ready within three minutes, is an error that holds
// the end of its log.
func (p *process) await(ready func() bool) error {
	deadline := time.After(3 * time.Minute)
	for !ready() {
		select {
		case <-p.done:
			return fmt.Errorf("%s ended at its start:\n%s", p.name, tail(p.text()))
		case <-deadline:
			return fmt.Errorf("%s was not ready within three minutes:\n%s", p.name, tail(p.text()))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// memory is the resident memory of the process and of those it started, in MiB by name.
func (p *process) memory() string {
	var list []string
	for _, pid := range append([]int{p.cmd.Process.Pid}, children(p.cmd.Process.Pid)...) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		var name string
		var kib int
		for line := range strings.Lines(string(status)) {
			fmt.Sscanf(line, "Name: %s", &name)
			fmt.Sscanf(line, "VmRSS: %d kB", &kib)
		}
		list = append(list, fmt.Sprintf("%s %d MiB", name, kib>>10))
	}
	return strings.Join(list, ", ")
}

func children(pid int) (all []int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // each has those that it started
	for _, thread := range threads {
		text, _ := os.ReadFile(thread)
		for _, field := range strings.Fields(string(text)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err == nil {
				all = append(append(all, child), children(child)...)
			}
		}
	}
	return all
}

// tail is the end of a log.
func tail(text string) string { return text[max(0, len(text)-3000):] }

// eventually waits for a condition of other processes, three minutes at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after three minutes still not: %s", what)
		}
	}
}
