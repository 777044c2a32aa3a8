package flags

import "warmroute/hostsim/internal/vllm"

// Blocks says how replicas' caches divide prompts, other than by the profile: those of hybrid models in large blocks.
type Blocks struct {
	Tokens  int  `name:"kv-block" help:"Tokens of a KV block, of which only whole ones are found again; 0: the profile's. Hybrid models have 272 to 8000." placeholder:"TOKENS"`
	Aligned bool `name:"aligned-states" help:"Replicas serve a hybrid model, and keep its state only where a step ended, at the end of a block."`
}

// Load reads a profile, and sets that. Errors: the profile, the tokens.
func (f *Blocks) Load(name string) (vllm.Profile, error) {
	p, err := vllm.LoadProfile(name)
	if err == nil && f.Tokens != 0 {
		p, err = p.WithBlocks(f.Tokens)
	}
	if f.Aligned {
		p.AlignedStates = 1
	}
	return p, err
}
