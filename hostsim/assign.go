package main

import (
	"encoding/json"
	"fmt"

	"warmroute/hostsim/internal/assign"
	"warmroute/hostsim/internal/console"
	"warmroute/plugin/config"
)

// assignCmd assigns requests to replicas by the rule of deep-ml problem 437; see package lrumatch.
type assignCmd struct {
	Replicas int    `help:"How many replicas, 1 to ${replicas}." required:""`
	Capacity int    `help:"Prefix hashes that each replica remembers, at least 1." required:""`
	File     string `arg:"" help:"JSON array of objects with a prefix_hash, a string or a number. - is standard input."`
	JSON     string `help:"Write the result, with what made it, to this file; - is standard output, in place of the line that is printed." placeholder:"FILE"`
}

// Run reads the requests and prints their assignment as one line of JSON.
func (c *assignCmd) Run(s *console.Streams) error {
	if c.Replicas < 1 || c.Replicas > config.MaxEndpoints {
		return fmt.Errorf("--replicas %d is not in the range 1 to %d", c.Replicas, config.MaxEndpoints)
	}
	if c.Capacity < 1 {
		return fmt.Errorf("--capacity %d is below 1", c.Capacity)
	}
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	data, err := s.ReadFile(c.File) // the error names the file
	if err != nil {
		return err
	}
	hashes, err := assign.Read(data)
	if err != nil {
		return console.JSONFault(console.Shown(c.File), data, err)
	}
	result := assign.Run(hashes, c.Replicas, c.Capacity)
	if c.JSON != "-" {
		if err := json.NewEncoder(s.Stdout).Encode(result); err != nil || c.JSON == "" {
			return err
		}
	}
	return s.WriteJSON(c.JSON, result)
}
