//go:build !tinygo

package main

import "os"

// environment is the value of an environment variable; "" if it is not set.
func environment(name string) string { return os.Getenv(name) }
