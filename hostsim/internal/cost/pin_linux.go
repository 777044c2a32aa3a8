package cost

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pin binds all threads of a process, and those that they start, to some processors: it looks again until there are no new ones,
// as one that is not bound yet may start another meanwhile.
func pin(pid int, cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	const looks = 100
	bound := map[int]bool{}
	for range looks {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		before := len(bound)
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil {
				return err
			}
			if bound[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
				return fmt.Errorf("binding thread %d: %w", id, err)
			}
			bound[id] = true
		}
		if len(bound) == before {
			return nil
		}
	}
	return fmt.Errorf("process %d still starts threads after %d looks", pid, looks)
}

// processors are those that this process may use, in order.
func processors() (all []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil // not known: nothing is bound
	}
	for cpu := range len(set) * strconv.IntSize {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all
}
