package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/vllm"
)

// profileCmd lists the profiles, or prints one.
type profileCmd struct {
	Name string             `arg:"" optional:"" help:"A profile; beside those listed, any CARD[xN]-MODEL that fits, such as h100x2-llama70b."`
	Set  map[string]float64 `help:"Numbers to change, such as kv_blocks=20000,host_kv_blocks=50000,host_ns_per_kv_token=5000." placeholder:"FIELD=NUMBER,…" mapsep:","`
}

// Run prints the profile as JSON, each number with its source, or a table of all.
func (c *profileCmd) Run(s *console.Streams) error {
	if c.Name != "" {
		p, err := loadWith(c.Name, c.Set, "--set of hostsim profile")
		if err != nil {
			return err
		}
		text, err := p.MarshalJSON()
		if err != nil {
			return err
		}
		_, err = s.Stdout.Write(text)
		return err
	}
	if len(c.Set) > 0 {
		return errors.New("--set goes with a profile's name")
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "profile\tbasis\tKV tokens\tTTFT of 2,048 tokens, ms\tmodel and cards")
	for _, name := range vllm.Profiles() {
		p, err := vllm.LoadProfile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%v\t%d\t%.0f\t%s\n", name, &p, p.KVTokens(), float64(p.PrefillTime(0, min(2048, p.MaxModelLen)))/1e6, p.About)
	}
	return w.Flush()
}

// loadWith loads a profile and changes numbers of it.
func loadWith(name string, set map[string]float64, source string) (vllm.Profile, error) {
	p, err := vllm.LoadProfile(name)
	if err != nil {
		return p, err
	}
	for field, value := range set {
		if err := p.Set(field, value, source); err != nil {
			return p, err
		}
	}
	if set["max_model_len"] == 0 {
		p.MaxModelLen = min(p.MaxModelLen, p.KVTokens())
	}
	return p, p.Validate()
}
