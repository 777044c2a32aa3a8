// Command hostsim runs the warmroute module without a proxy: one request explained, simulated vLLM
// replicas for a real Envoy to route to, and clients that measure what routing was worth.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/studies"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
	"warmroute/plugin/config"
)

// commands is the command line; each subcommand is a struct of its own in the file that bears its name.
type commands struct {
	Advise   adviseCmd       `cmd:"" help:"Say what warmroute is worth on a trace or log, how many replicas it takes, what limits it, and with which configuration."`
	Assign   assignCmd       `cmd:"" help:"Assign requests to replicas by prefix hash: deep-ml problem 437."`
	Replay   replayCmd       `cmd:"" help:"Replay a trace through the module, on simulated replicas."`
	Request  requestCmd      `cmd:"" help:"Send one request through the module and explain its decision."`
	Explain  explainCmd      `cmd:"" help:"Explain a decision that the access log or a response header shows."`
	Check    checkCmd        `cmd:"" help:"Say what is wrong with a configuration: our JSON, a WasmPlugin, or an Envoy configuration."`
	Doctor   doctorCmd       `cmd:"" help:"Say whether a running Envoy, and the replicas behind it, are set up right."`
	Version  versionCmd      `cmd:"" help:"Say what this program and the module are built from."`
	Demo     demoCmd         `cmd:"" help:"Compare policies through a real Envoy in front of simulated replicas."`
	Replicas replicasCmd     `cmd:"" help:"Serve simulated vLLM replicas on loopback."`
	Bench    benchCmd        `cmd:"" help:"Send a workload to a URL and measure."`
	Cost     costCmd         `cmd:"" help:"Measure what the module adds to a real Envoy: CPU, throughput, latency, memory."`
	Compare  compareCmd      `cmd:"" help:"Compare policies through a real Envoy, or several URLs, in front of running servers. Your own log: bench --trace."`
	Image    imageCmd        `cmd:"" help:"Pack the module into an OCI image, and upload it."`
	Import   importCmd       `cmd:"" help:"Make a trace of what you have: access logs with bodies, LiteLLM, Bedrock, Gemini, Langfuse, OpenAI batches, the logs of vLLM and SGLang, bare bodies."`
	Generate generateCmd     `cmd:"" help:"Generate a workload and write it as a trace."`
	Profile  profileCmd      `cmd:"" help:"List the profiles of replicas, or print one as a file to edit."`
	Study    studies.Command `cmd:"" help:"Answer a question by many replays."`

	Calibrate calibrateCmd `cmd:"" help:"Fit a profile of replicas to a server."`
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run parses args, runs the subcommand they name and returns the exit status: 0 on success, 1 when the
// subcommand failed (its error is on stderr), 2 when args were wrong.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program

	out := &watched{Writer: stdout}
	stdout = out
	exited := -1 // kong calls Exit for --help, and goes on
	var cmd commands
	parser, err := kong.New(&cmd,
		kong.Name("hostsim"),
		kong.Description("Runs the warmroute module offline, and measures what it is worth."),
		kong.Vars{
			"replicas":  strconv.Itoa(config.MaxEndpoints),
			"workloads": strings.Join(workload.Names(), ", "),
			"profiles":  strings.Join(vllm.Profiles(), ", "),
			"peers":     peers.Prefix + strings.Join(peers.Names(), ", "+peers.Prefix),
		},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		kong.ValueFormatter(valueHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "hostsim:", err)
		return 2
	}
	parsed, err := parser.Parse(usual(args))
	if exited >= 0 {
		return exited
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) {
			err = meantTrace(err, wrong.Context.Selected())
		}
		fmt.Fprintln(stderr, "hostsim:", err)
		if wrong != nil {
			_ = wrong.Context.PrintUsage(true)
		}
		return 2
	}
	if err := checkFlags(parsed); err != nil {
		fmt.Fprintln(stderr, "hostsim:", err)
		return 2
	}
	streams := &console.Streams{Ctx: ctx, Stdin: stdin, Stdout: stdout, Stderr: stderr, Args: args, Module: "build/warmroute.wasm"}
	streams.Command = strings.TrimPrefix(parsed.Selected().FullPath(), parsed.Model.Name+" ")
	for _, flag := range parsed.Flags() {
		if flag.Name == "wasm" {
			streams.Module = flag.Target.String()
		}
	}
	if err := parsed.Run(streams); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = errors.New("stopped before there was a result")
		}
		fmt.Fprintln(stderr, "hostsim:", err)
		return 1
	}
	if out.err != nil {
		fmt.Fprintln(stderr, "hostsim:", out.err)
		return 1
	}
	return 0
}

// usual are arguments in this program's words: others have help COMMAND and --version.
func usual(args []string) []string {
	switch {
	case len(args) == 0:
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// meantTrace adds to the error of a file that stands alone that it goes with --trace, where there is that flag.
func meantTrace(err error, command *kong.Node) error {
	file, is := strings.CutPrefix(err.Error(), "unexpected argument ")
	if _, missing := os.Stat(file); !is || missing != nil || command == nil {
		return err
	}
	for _, flag := range command.Flags {
		if flag.Name == "trace" {
			return fmt.Errorf("%w; did you mean --trace %s?", err, file)
		}
	}
	return err
}

// watched remembers that something could not be written, because a disk is full, say: whoever reads what there is would take it for
// all.
type watched struct {
	io.Writer
	err error
}

func (w *watched) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
