package main

import (
	"errors"
	"fmt"
	"os"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/oci"
)

// imageCmd packs the module into an OCI image.
type imageCmd struct {
	Wasm    string  `help:"The module's file." default:"build/warmroute.wasm"`
	Out     string  `help:"Folder to write, as an OCI image layout." default:"build/image"`
	Push    *string `help:"Also upload the image, as host/repository:tag, with docker's credentials." placeholder:"REF"`
	Source  string  `help:"URL of the source code, for an annotation of the image." placeholder:"URL"`
	Version string  `help:"Version of the source code, for an annotation of the image."`
}

// Validate refuses a reference that is empty, as of a shell's variable that is not set: nothing would be uploaded.
func (c *imageCmd) Validate() error {
	if c.Push != nil && *c.Push == "" {
		return errors.New("--push is given and empty")
	}
	return nil
}

// Run writes the image and prints how to name it.
func (c *imageCmd) Run(s *console.Streams) error {
	wasm, err := os.ReadFile(c.Wasm)
	if err != nil {
		return fmt.Errorf("%w (./build.sh build makes the module)", err)
	}
	image, err := oci.Image(wasm, map[string]string{oci.Source: c.Source, oci.Version: c.Version})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Wasm, err)
	}
	if err := oci.Write(c.Out, image); err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", c.Out, digest)
	if c.Push == nil {
		return nil
	}
	pinned, err := oci.Push(s.Ctx, *c.Push, image)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Stdout, "oci://%s\n", pinned)
	return err
}
