package main

import (
	"fmt"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

// replicasCmd serves simulated vLLM replicas until it is interrupted.
type replicasCmd struct {
	N        int      `help:"Number of replicas." default:"3" least:"1"`
	Ranks    int      `help:"Data-parallel ranks of each replica: engines with a KV cache each behind one port, as with vLLM's --data-parallel-size." default:"1" least:"1"`
	Host     string   `help:"Loopback address to listen on." default:"127.0.0.1"`
	Port     int      `help:"Port of the first replica; the others take the ports after it. 0: free ports." default:"8001"`
	Profile  string   `help:"Cost profile: a name that hostsim profile lists, or a file." default:"h100-8b" placeholder:"NAME|FILE"`
	KVTokens int      `name:"kv-tokens" help:"KV capacity of a replica in tokens; 0: the profile's."`
	Model    string   `help:"Name of the model that is served." default:"warmroute-sim"`
	Adapter  []string `help:"Name of a LoRA adapter that is served too; may be repeated."`
	Speed    float64  `help:"Run that many times as fast as the profile." default:"1"`
	Seed     int64    `help:"Seed of the answers' text."`
}

// Run serves until the context ends.
func (c *replicasCmd) Run(s *console.Streams) error {
	profile, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return err
	}
	if c.KVTokens != 0 {
		if profile, err = profile.WithKVTokens(c.KVTokens); err != nil {
			return err
		}
	}
	f, err := fleet.Start(fleet.Options{
		N: c.N, Ranks: c.Ranks, Host: c.Host, Port: c.Port, Profile: profile, Model: c.Model, Adapters: c.Adapter, Speed: c.Speed, Seed: c.Seed,
	})
	if err != nil {
		return err
	}
	for _, r := range f.Replicas {
		fmt.Fprintf(s.Stdout, "%s ready on %s (model %s, profile %s, %d KV tokens)\n",
			r.Name(), r.URL(), c.Model, c.Profile, profile.KVTokens())
	}
	<-s.Ctx.Done()
	return f.Close()
}
