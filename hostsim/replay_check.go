package main

import (
	"errors"
	"fmt"
	"os"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/vllm"
)

// check says what is wrong with the flags before a trace is read, which may take minutes.
func (c *replayCmd) check() error {
	if c.Clients > 0 && !c.Closed {
		return errors.New("--clients goes with --closed")
	}
	if !(c.HostKV >= 0 && c.HostKV <= 1000) {
		return fmt.Errorf("--host-kv %v is not within 0 to 1000", c.HostKV)
	}
	hangUps := c.hangUps()
	if err := hangUps.Check(); err != nil {
		return fmt.Errorf("--hang-up %v and --hang-up-after %v: %w", c.HangUp, c.HangUpAfter, err)
	}
	if err := c.files(); err != nil {
		return err
	}
	for _, policy := range c.Policies {
		if err := contender.Check(policy); err != nil {
			return err
		}
	}
	return nil
}

// files says which of the files is not there that are read after the trace.
func (c *replayCmd) files() error {
	for _, name := range []string{c.Profile, c.Second} {
		if _, err := vllm.LoadProfile(name); name != "" && err != nil {
			return err
		}
	}
	if _, err := os.Stat(c.Plugin); c.Plugin != "" && c.Plugin != "-" && err != nil {
		return err
	}
	if _, err := os.Stat(c.Wasm); c.Engine == "wasm" && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w (./build.sh build makes the module)", err)
	}
	return nil
}

// timed says whether something is to happen at a time of the trace.
func (c *replayCmd) timed() bool {
	return c.Fleet.Timed() || len(c.Sync.Restart) > 0 || len(c.Sync.Partition) > 0
}
