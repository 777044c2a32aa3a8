package main

// barred are the packages that no pure room imports.
var barred = []string{"os", "net", "net/http", "time", "sync", "sync/atomic", "math/rand", "math/rand/v2", "encoding/json"}

// calling is the one room of the module that is not pure: it calls the proxy, through the SDK or without.
const calling = "proxy"

// allowed lists the rooms of the module. All but calling are pure, and the simulator has them too: time, randomness and the world come in
// as arguments. For each it names the rooms it may use; data flows inspect → prompt → prefix → route ← pool, and worker wires
// them. A package under plugin/ that is not here belongs to no room, and fails.
var allowed = map[string][]string{
	"why":               {},
	"bytestr":           {},
	"recent":            {},
	"config":            {"prefix", "prompt", "ring"},
	"runs":              {"bytestr"},
	"answers":           {"bytestr", "runs"},
	"prompt":            {"bytestr", "prefix", "runs", "why"},
	"prompt/prompttest": {},
	"prefix":            {"bytestr"},
	"ring":              {},
	"clusters":          {"bytestr", "prefix"},
	"exposition":        {"bytestr"},
	"decision":          {"bytestr", "config", "pool", "prompt", "why"},
	"inspect":           {"config", "decision", "prompt", "why"},
	"logexp":            {},
	"speed":             {"logexp"},
	"queue":             {},
	"others":            {"queue", "recent"},
	"traffic":           {"models", "recent", "speed"},
	"health":            {"recent"},
	"pool":              {"bytestr", "config", "exposition", "health", "keepers", "models", "others", "prefix", "prompt", "queue", "recent", "ring", "speed", "traffic"},
	"route":             {"config", "decision", "lrumatch", "models", "others", "pool", "prefix", "prompt", "queue", "recent", "why"},
	"share":             {"bytestr", "news", "pool", "prefix", "queue", "speed", "traffic"},
	"news":              {"bytestr", "prefix"},
	"gossip":            {"bytestr", "news", "pool", "queue", "share", "speed", "traffic"},
	"share/memstore":    {},
	"prefix/prefixtest": {"prefix"},
	"scout":             {"bytestr", "clusters", "config", "exposition", "gossip", "models", "news", "pool", "ring", "share"},
	"models":            {"exposition", "recent"},
	"complaints":        {"config", "scout"},
	"standby":           {"bytestr", "share"},
	"contexts":          {},
	"lrumatch":          {"prefix"},
	"keepers":           {"prefix"},
	"metrics":           {"config", "decision", "gossip", "health", "pool", "worker"},
	calling:             {"bytestr", "metrics"},
	"worker":            {"answers", "bytestr", "clusters", "config", "decision", "gossip", "health", "inspect", "news", "pool", "prompt", "queue", "recent", "route", "scout", "share", "why"},
}

// stair is rooms that know each other one way: each may use what it names of the project, and no room above it.
type stair struct {
	rooms   map[string][]string // of hostsim/internal, lowest first
	without []string            // packages that none of them imports
	outside string              // why not
	oneWay  string              // why a room may use no other than those named
}

// opening are the packages that open files and connections, and those that draw numbers nobody can draw again.
var opening = []string{"os", "os/exec", "net", "net/http", "math/rand"}

var stairs = []stair{
	{ // people's logs are imported: a text becomes values, these calls, and calls a trace
		rooms: map[string][]string{
			"pyrepr":    {"rawjson"},
			"loose":     {"pyrepr", "rawjson"},
			"clocks":    {"loose"},
			"layout":    {"rawjson", "trace"},
			"chats":     {"loose"},
			"capture":   {"chats", "loose"},
			"call":      {"clocks", "loose", "trace"},
			"serverlog": {"call", "clocks", "loose", "pyrepr"},
			"find":      {"call", "capture", "chats", "clocks", "loose", "pyrepr", "rawjson", "serverlog"},
			"timeline":  {"call", "chats", "clocks", "loose", "trace"},
			"logs":      {"call", "chats", "clocks", "find", "layout", "loose", "serverlog", "timeline", "trace"},
		},
		without: append([]string{"math/rand/v2"}, opening...),
		outside: "a room that imports logs takes what others have opened",
		oneWay:  "a text becomes values, these calls, and calls a trace",
	},
	{ // a replica: its engine, what bodies are to it, what it shows, and servers that are driven by it
		rooms: map[string][]string{
			"vllm":      {},
			"render":    {"rawjson", "vllm"},
			"vllmpages": {"vllm"},
			"fleet":     {"plugin/config", "render", "vllm", "vllmpages"},
		},
		oneWay: "a replica in virtual time has no server",
	},
	{ // a run: it knows routers by what they decide, and not whose they are
		rooms: map[string][]string{
			"due":    {},
			"router": {"vllm"},
			"ours": {"due", "host", "router", "plugin/config", "plugin/decision", "plugin/gossip", "plugin/health", "plugin/inspect", "plugin/news", "plugin/pool",
				"plugin/prefix", "plugin/route", "plugin/scout", "plugin/share", "plugin/share/memstore", "plugin/worker"},
			"peers":  {"router", "trace", "vllm", "plugin/config", "plugin/inspect", "plugin/prompt", "plugin/ring"},
			"replay": {"bound", "due", "plugin/config", "render", "router", "stats", "trace", "vllm", "vllmpages"},
		},
		oneWay: "a run knows routers by what they decide, and not whose they are",
	},
	{ // is it set up right? A text becomes a tree, this a setup, and of a setup is said what is wrong
		rooms: map[string][]string{
			"finding":  {},
			"tree":     {},
			"promtext": {},
			"manifest": {"plugin/config", "tree"},
			"checks":   {"finding", "manifest", "plugin/config", "tree"},
			"counts":   {"finding", "plugin/config", "plugin/why", "promtext"},
			"doctor":   {"checks", "counts", "fetch", "finding", "manifest", "plugin/config", "promtext"},
		},
		without: []string{"os", "os/exec", "math/rand", "math/rand/v2"},
		outside: "what is judged is given, or fetched",
		oneWay:  "what is read is not judged there, and only doctor asks what runs",
	},
	{ // what commands share
		rooms: map[string][]string{
			"console":  {"layout", "report"},
			"input":    {"console", "figure", "logs", "manifest", "plugin/config", "rawjson", "render", "report", "trace", "tree", "vllm"},
			"decision": {"plugin/why"},
			"assign":   {"plugin/lrumatch"},
			"flags":    {"console", "contender", "input", "loads", "replay", "sweep", "trace", "vllm"},
			"studies":  {"cases", "console", "contender", "flags", "league", "replay", "study", "sweep", "vllm"},
		},
		oneWay: "a command is told by these what was given, and knows what is done with it by itself",
	},
	{ // many replays are asked: loads make cases, policies contend on them, and studies say what came of it
		rooms: map[string][]string{
			"figure":          {},
			"contender":       {"ours", "peers", "plugin/config", "replay", "router"},
			"loads":           {"figure", "replay", "stats", "trace", "vllm"},
			"cases":           {"contender", "loads", "replay", "trace", "vllm"},
			"sweep":           {"contender", "replay"},
			"sweep/sweeptest": {"contender", "loads", "replay", "sweep", "trace", "vllm"},
			"verdict":         {"bound", "contender", "figure", "replay", "stats", "trace", "vllm"},
			"replaypage":      {"figure", "replay", "report", "verdict"},
			"league":          {"cases", "contender", "figure", "loads", "peers", "replay", "report"},
			"advice":          {"contender", "figure", "loads", "plugin/config", "replay", "replaypage", "report", "setup", "stats", "sweep", "trace", "verdict", "vllm"},
			"study":           {"cases", "contender", "figure", "league", "loads", "ours", "replay", "report", "router", "stats", "sweep", "trace", "verdict", "vllm"},
		},
		without: opening,
		outside: "a room that asks replays is told where traces are, and returns what is to be written",
		oneWay:  "loads make cases, policies contend on them, and studies say what came of it",
	},
}
