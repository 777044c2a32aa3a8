package peers

import (
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warmroute/plugin/prompt"
	"warmroute/plugin/ring"
)

const aboutLeastLoad = "KubeAI, strategy LeastLoad: the replica with the fewest requests in flight. Read: KubeAI's concept page \"Load Balancing\"."

// leastLoad is KubeAI's default.
type leastLoad struct{ rng *rand.Rand }

func newLeastLoad(rng *rand.Rand) policy { return &leastLoad{rng} }

func (*leastLoad) join(string) {}

func (*leastLoad) leave(int) {}

func (l *leastLoad) pick(r *request) (int, string) {
	return least(r.inFlight, l.rng), "by_load"
}

const aboutKubeAI = "KubeAI, strategy PrefixHash: the first 100 characters of the first user message (of a completion, the prompt) on a ring of 256 points a replica, " +
	"the next replica where the load, with this request, exceeds 125 % of the mean, not rounded; the first where it does at all. Read: KubeAI's concept page \"Load Balancing\", its API reference (prefixCharLength 100, meanLoadFactor 125, replication 256), " +
	"\"LLM Load Balancing at Scale: Consistent Hashing with Bounded Loads\" (2025), and chwblLoadOK of its internal/loadbalancer/balance_chwbl.go."

// kubeAI is consistent hashing with bounded loads (Mirrokni, Thorup, Zadimoghaddam, SODA 2018).
type kubeAI struct {
	addresses []string
	ring      *ring.Ring
}

const (
	kubeAIChars  = 100
	kubeAIFactor = 1.25
	kubeAIPoints = 256
)

func newKubeAI(*rand.Rand) policy { return &kubeAI{ring: ring.New(kubeAIPoints)} }

func (k *kubeAI) join(address string) {
	k.ring.Add(len(k.addresses), address, 1)
	k.addresses = append(k.addresses, address)
}

func (k *kubeAI) leave(replica int) {
	k.addresses = slices.Delete(k.addresses, replica, replica+1)
	k.ring = ring.New(kubeAIPoints)
	for i, a := range k.addresses {
		k.ring.Add(i, a, 1)
	}
}

func (k *kubeAI) pick(r *request) (int, string) {
	text, p, inFlight := r.prompt.Text, r.prompt, r.inFlight
	if p.SessionFrom == prompt.FirstUserTurn && len(p.Session) > 0 {
		text = p.Session
	}
	total := 0
	for _, n := range inFlight {
		total += n
	}
	bound := kubeAIFactor * float64(total+1) / float64(len(inFlight))
	walk, home := k.ring.From(xxhash.Sum64(text[:min(len(text), kubeAIChars)])), -1
	for {
		i, ok := walk.Next()
		if !ok {
			return home, "home" // few are in flight, so that one more would be above the bound anywhere
		}
		if home < 0 {
			home = i
		}
		if total == 0 || float64(inFlight[i]+1) <= bound {
			if i == home {
				return i, "home"
			}
			return i, "bounded"
		}
	}
}
