// Extproc is an external processing server for Envoy that routes as the module does, with the same Go code: what hostsim cost
// compares the module with. It takes the module's configuration as its argument, prints the address of its gRPC server, and
// stops when its standard input ends.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "extproc:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: extproc CONFIGURATION (JSON)")
	}
	p, err := newPicker([]byte(args[0]))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	extproc.RegisterExternalProcessorServer(server, p)
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // its end, however it comes, is the sign
		server.Stop()
	}()
	go p.tick()
	fmt.Fprintln(stdout, listener.Addr())
	return server.Serve(listener)
}
