//go:build !tinygo

package main

func collect() {}
