//go:build !linux

package gateway

import "syscall"

// tied would make a process end with its starter: only Linux can.
func tied() *syscall.SysProcAttr { return nil }
