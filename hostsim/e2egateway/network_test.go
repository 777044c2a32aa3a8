//go:build e2egateway

package e2egateway

import (
	"os/exec"
	"strings"
	"testing"
)

// within makes a network with one address, which reaches ours and is reached from it, and returns the command that others are
// run there with.
func within(t *testing.T, name, address string) []string {
	t.Helper()
	for _, command := range []string{
		"netns add " + name,
		"link add to-" + name + " type veth peer name inside netns " + name,
		"link set to-" + name + " master gateways up",
		"-n " + name + " link set lo up",
		"-n " + name + " address add " + address + "/24 dev inside",
		"-n " + name + " link set inside up",
		"-n " + name + " route add default via " + first,
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", command, err, out)
		}
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", name).Run() }) // and its link
	return []string{"nsenter", "--net=/run/netns/" + name}
}
