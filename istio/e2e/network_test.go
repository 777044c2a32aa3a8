//go:build e2eistio

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// network is a network namespace, as a pod has it: gateways listen on fixed ports, on all addresses. The bridge of run.sh leads
// to the others, and to the network of the tests.
type network struct{ name string }

const names = "/run/netns/" // where ip keeps them

// newNetwork makes a network with one address, of 10.9.1.0/24, until the end of the test.
func newNetwork(t *testing.T, ip string) *network {
	t.Helper()
	last := ip[strings.LastIndexByte(ip, '.')+1:]
	n := &network{"gateway-" + last}
	outside, inside := "out"+last, "in"+last
	t.Cleanup(func() { // the network goes some time after its name; another test takes the link's
		_ = exec.Command("ip", "link", "delete", outside).Run()
		if out, err := exec.Command("ip", "netns", "delete", n.name).CombinedOutput(); err != nil {
			t.Errorf("ip netns delete %s: %v: %s", n.name, err, out)
		}
	})
	for _, command := range []string{
		"netns add " + n.name,
		"link add " + outside + " type veth peer name " + inside + " netns " + n.name,
		"link set " + outside + " master gateways up",
		"-n " + n.name + " link set lo up",
		"-n " + n.name + " address add " + ip + "/24 dev " + inside,
		"-n " + n.name + " link set " + inside + " up",
		"-n " + n.name + " route add default via 10.9.1.254",
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", command, err, out)
		}
	}
	return n
}

// enter is the beginning of a command that runs there.
func (n *network) enter() []string {
	if n == nil {
		return nil
	}
	return []string{"nsenter", "--net=" + names + n.name}
}

// client makes requests from there.
func (n *network) client() *http.Client {
	if n == nil {
		return &http.Client{Timeout: 20 * time.Second}
	}
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: n.dial}}
}

// dial connects from there.
func (n *network) dial(ctx context.Context, kind, address string) (conn net.Conn, err error) {
	if failed := n.inside(func() { conn, err = (&net.Dialer{}).DialContext(ctx, kind, address) }); failed != nil {
		return nil, failed
	}
	return conn, err
}

// listen listens there.
func (n *network) listen(address string) (listener net.Listener, err error) {
	if failed := n.inside(func() { listener, err = net.Listen("tcp", address) }); failed != nil {
		return nil, failed
	}
	return listener, err
}

// inside calls open, whose socket is one of that network: this thread enters it until then.
func (n *network) inside(open func()) error {
	there, err := unix.Open(names+n.name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(there)
	runtime.LockOSThread() // a thread that does not find back ends with its goroutine
	here, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(here)
	if err := unix.Setns(there, unix.CLONE_NEWNET); err != nil {
		return err
	}
	open()
	if err := unix.Setns(here, unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("the way back: %w", err)
	}
	runtime.UnlockOSThread()
	return nil
}
