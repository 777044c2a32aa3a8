package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/setup"
	"warmroute/plugin/config"
)

var serviceName = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*(:[1-9][0-9]{0,4})?$`)

// addresses checks what is copied into the configuration as it is, and refuses what its form has no place for. What a Service's name
// lacks is completed, which stderr says.
func (c *adviseCmd) addresses(s *console.Streams) error {
	for _, endpoint := range c.Endpoints {
		text, _ := json.Marshal(map[string]any{"endpoints": []string{endpoint}})
		if _, err := config.Parse(text); err != nil {
			return fmt.Errorf("--endpoints: %w", err)
		}
	}
	host, port, given := strings.Cut(c.Service, ":")
	if number, _ := strconv.Atoi(port); c.Service != "" && (!serviceName.MatchString(c.Service) || number > 65535) {
		return fmt.Errorf("--service: %q is no name of a Service with its port, such as vllm.default:8000", c.Service)
	}
	switch {
	case c.Service != "" && c.Form != wasmPluginForm:
		return fmt.Errorf("--service: the form %s names endpoints and no Service: --form %s, or --endpoints instead", c.Form, wasmPluginForm)
	case len(c.Endpoints) > 0 && c.Form == wasmPluginForm:
		return fmt.Errorf("--endpoints: the form %s names a Service, whose endpoints the gateway finds by itself: --service instead, or --form envoy", wasmPluginForm)
	}
	if c.Service != "" && (!given || !strings.Contains(host, ".")) {
		fmt.Fprintf(s.Stderr, "--service %s is taken to be %s: name the namespace and the port if they are others.\n", c.Service, setup.Completed(c.Service))
	}
	return nil
}

// wasmPluginForm is the form that names a Service.
const wasmPluginForm = "wasmplugin"
