package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/calibrate"
	"warmroute/hostsim/internal/console"
)

type calibratePagesCmd struct {
	calibrateBase `embed:""`
	URL           string        `name:"url" help:"Read the page of this server twice: http://ip:port." placeholder:"URL"`
	During        time.Duration `help:"Time between the readings of --url." default:"60s"`
	Before        string        `help:"Or: the first page, from a file." placeholder:"FILE"`
	After         string        `help:"The second page." placeholder:"FILE"`
	Seconds       float64       `help:"Time between the two files' pages." placeholder:"SECONDS"`
	AllowRemote   bool          `help:"Allow addresses that are not loopback."`
}

// Run reads both pages, and fits.
func (c *calibratePagesCmd) Run(s *console.Streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	before, after, err := c.pages(s)
	if err != nil {
		return err
	}
	if calibrate.Unsteady(before, after) {
		fmt.Fprintln(s.Stderr, "the requests under way changed much between the pages: the load was not steady, and the fit takes it for steady")
	}
	f, err := calibrate.Pages(p, before, after, c.Seconds, "hostsim calibrate pages, "+strconv.FormatFloat(c.Seconds, 'g', 4, 64)+" s")
	if err != nil {
		return err
	}
	return c.finish(s.Stdout, f,
		"the order of arrivals: they are taken as random, so the queue is an estimate",
		"which requests were long and which were cached: lengths are drawn from histograms, hits spread evenly",
		"reading the weights against reading KV, unless the load varies")
}

func (c *calibratePagesCmd) pages(s *console.Streams) (before, after *calibrate.Page, err error) {
	if (c.URL == "") == (c.Before == "" || c.After == "") {
		return nil, nil, errors.New("give either --url, or --before and --after with --seconds")
	}
	if c.URL != "" {
		if err := bench.CheckURL(c.URL, c.AllowRemote); err != nil {
			return nil, nil, err
		}
		server := &calibrate.Server{URL: c.URL, Timeout: 10 * time.Second}
		if before, err = server.Page(s.Ctx); err != nil {
			return nil, nil, err
		}
		began := time.Now()
		select {
		case <-s.Ctx.Done():
			return nil, nil, s.Ctx.Err()
		case <-time.After(c.During):
		}
		after, err = server.Page(s.Ctx)
		c.Seconds = time.Since(began).Seconds()
		return before, after, err
	}
	if before, err = readPage(c.Before); err != nil {
		return nil, nil, err
	}
	after, err = readPage(c.After)
	return before, after, err
}

func readPage(path string) (*calibrate.Page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	page, err := calibrate.ReadPage(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return page, nil
}
