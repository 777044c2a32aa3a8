package cost

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// threads is the CPU time of a process by kind of thread, in ns: Envoy's workers, its main thread, and others (the
// compiler of V8 above all).
func threads(pid int) (map[string]int64, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no threads of process %d (%v); this needs Linux", pid, err)
	}
	sum := map[string]int64{"worker": 0, "main": 0, "other": 0}
	for _, file := range files {
		text, err := os.ReadFile(file)
		name, err2 := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
		if err != nil || err2 != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		switch {
		case strings.HasPrefix(string(name), "wrk:"):
			sum["worker"] += ns
		case filepath.Base(filepath.Dir(file)) == strconv.Itoa(pid):
			sum["main"] += ns
		default:
			sum["other"] += ns
		}
	}
	return sum, nil
}

// resident is the memory of a process in bytes; 0 if it is not known.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kb, _ := strconv.ParseInt(fields[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// cpu is the CPU time of the target's processes in ns: of Envoy by kind of thread, and "beside" what serves it.
func (t *target) cpu() (map[string]int64, error) {
	sum, err := threads(t.Pid())
	if err != nil || t.beside == nil {
		return sum, err
	}
	beside, err := threads(t.beside.pid())
	for _, ns := range beside {
		sum["beside"] += ns
	}
	return sum, err
}

// resident is the memory of the target's processes in bytes.
func (t *target) resident() (sum int64) {
	for _, pid := range t.pids() {
		sum += resident(pid)
	}
	return sum
}
