package main

import (
	"fmt"

	"warmroute/hostsim/internal/fleet"
)

// replicasCmd serves simulated vLLM replicas until it is interrupted.
type replicasCmd struct {
	N        int     `help:"How many replicas." default:"3"`
	Host     string  `help:"Loopback address to listen on." default:"127.0.0.1"`
	Port     int     `help:"Port of the first replica; the others follow. 0 takes free ones." default:"8001"`
	Profile  string  `help:"Cost profile: cpu-tiny, h100-8b, l4-8b-fp8 or rtx4090-8b." default:"h100-8b"`
	KVTokens int     `name:"kv-tokens" help:"KV capacity in tokens, in place of the profile's."`
	Model    string  `help:"Name of the model served." default:"warmroute-sim"`
	Speed    float64 `help:"Run that many times faster than the profile." default:"1"`
	Seed     int64   `help:"Seed of the answers' text."`
}

// Run serves until the context ends.
func (c *replicasCmd) Run(s *streams) error {
	profile, err := fleet.LoadProfile(c.Profile)
	if err != nil {
		return err
	}
	if c.KVTokens != 0 {
		if profile, err = profile.WithKVTokens(c.KVTokens); err != nil {
			return err
		}
	}
	f, err := fleet.Start(fleet.Options{
		N: c.N, Host: c.Host, Port: c.Port, Profile: profile, Model: c.Model, Speed: c.Speed, Seed: c.Seed,
	})
	if err != nil {
		return err
	}
	for _, r := range f.Replicas {
		fmt.Fprintf(s.stdout, "%s ready on %s (model %s, profile %s, %d KV tokens)\n",
			r.Name(), r.URL(), c.Model, c.Profile, profile.KVTokens())
	}
	<-s.ctx.Done()
	return f.Close()
}
