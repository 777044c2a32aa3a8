package host

// Level is a log level of the ABI, proxy_log_level_t.
type Level uint32

const (
	LevelTrace Level = iota
	LevelDebug
	LevelInfo
	LevelWarn
	LevelError
	LevelCritical
)

func (l Level) String() string {
	if l > LevelCritical {
		return "unknown"
	}
	return [...]string{"trace", "debug", "info", "warn", "error", "critical"}[l]
}

// An Entry is a message that a module logged, wrote to its standard output (info) or standard error (error), or that describes its trap (critical).
type Entry struct {
	At      int64 // ns since 1970, virtual
	Worker  int
	Level   Level
	Message string
}

// logSink keeps the latest entries.
type logSink struct {
	entries []Entry
	count   int // entries ever
}

// worstSince is the latest of the most severe messages that are kept of those after the first begin.
func (l *logSink) worstSince(begin int) (message string, found bool) {
	worst := LevelTrace
	for i := max(0, len(l.entries)-(l.count-begin)); i < len(l.entries); i++ {
		if e := &l.entries[i]; e.Level >= worst {
			worst, message, found = e.Level, e.Message, true
		}
	}
	return message, found
}

func (p *Proxy) logAt(worker int, level Level, message string) {
	if level < p.config.LogLevel {
		return
	}
	e := Entry{p.clock.now, worker, level, message}
	p.log.count++
	if len(p.log.entries) >= 2*p.config.LogKeep {
		p.log.entries = append(p.log.entries[:0], p.log.entries[len(p.log.entries)-p.config.LogKeep+1:]...)
	}
	p.log.entries = append(p.log.entries, e)
	if p.config.OnLog != nil {
		p.config.OnLog(e)
	}
}

// Logs are the latest Config.LogKeep entries, oldest first.
func (p *Proxy) Logs() []Entry {
	latest := p.log.entries[max(0, len(p.log.entries)-p.config.LogKeep):]
	return append([]Entry(nil), latest...)
}

var logFuncs = []hostFunc{
	{name: "proxy_log", params: "iii", run: proxyLog, atStart: true},
	{name: "proxy_get_log_level", params: "i", run: func(vm *VM, stack []uint64) status {
		return vm.returnU32(stack, 0, uint32(vm.proxy.config.LogLevel))
	}},
}

func proxyLog(vm *VM, stack []uint64) status {
	level := Level(u32(stack, 0))
	if level > LevelCritical {
		return statusBadArgument
	}
	message, inside := vm.bytes(stack, 1)
	if !inside {
		return statusInvalidMemoryAccess
	}
	if level >= vm.proxy.config.LogLevel {
		vm.proxy.logAt(vm.worker, level, string(message))
	}
	return statusOK
}
