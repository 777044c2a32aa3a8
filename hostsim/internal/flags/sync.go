package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/replay"
)

// Sync says how gateways share news.
type Sync struct {
	Sync      time.Duration `help:"How often each of several gateways asks the others for news, at least 20ms; 0: they share nothing." default:"${sync}" placeholder:"TIME"`
	Delay     time.Duration `name:"sync-delay" help:"Time that a message between gateways takes." default:"1ms" placeholder:"TIME"`
	Loss      float64       `name:"sync-loss" help:"Share of the messages between gateways that are lost, 0 to 1." placeholder:"SHARE"`
	Partition []string      `help:"Spans of time, such as 60s-120s, in which the first half of the gateways and the others do not reach each other." placeholder:"FROM-TO"`
	Restart   []string      `help:"Gateways that start anew, by number and time, such as 0@90s." placeholder:"N@TIME"`
}

// Options checks the flags for so many gateways. Errors: what is out of range, and what is no gateway, time or span of one.
func (f *Sync) Options(gateways int) (replay.Sync, error) {
	s := replay.Sync{Interval: f.Sync, Delay: f.Delay, Loss: f.Loss}
	switch {
	case f.Sync != 0 && (f.Sync < 20*time.Millisecond || f.Sync > 10*time.Second):
		return s, fmt.Errorf("--sync %v: 0, or 20ms to 10s", f.Sync)
	case f.Delay < 0:
		return s, fmt.Errorf("--sync-delay %v is below 0", f.Delay)
	case !(f.Loss >= 0 && f.Loss <= 1):
		return s, fmt.Errorf("--sync-loss %v: 0 to 1", f.Loss)
	case f.Sync == 0 && (f.Loss > 0 || len(f.Partition) > 0):
		return s, errors.New("--sync-loss and --partition are of news between gateways, and with --sync 0 there are none")
	}
	for _, text := range f.Partition {
		span, err := parseSpan(text)
		if err != nil {
			return s, fmt.Errorf("--partition %s: %w", text, err)
		}
		s.Partitions = append(s.Partitions, span)
	}
	for _, text := range f.Restart {
		number, at, _ := strings.Cut(text, "@")
		n, errN := strconv.Atoi(number)
		when, errAt := time.ParseDuration(at)
		if errN != nil || errAt != nil || n < 0 || n >= gateways || when < 0 {
			return s, fmt.Errorf("--restart %s: a gateway of 0 to %d and a time are needed, such as 0@90s", text, gateways-1)
		}
		s.Restarts = append(s.Restarts, replay.Restart{Gateway: n, At: when})
	}
	slices.SortStableFunc(s.Restarts, func(a, b replay.Restart) int { return int(a.At - b.At) })
	return s, nil
}
