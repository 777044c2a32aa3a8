package gateway

import "syscall"

// tied makes a process end with its starter.
func tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
