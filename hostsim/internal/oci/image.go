// Package oci packs the module into an OCI image of the form that Istio and Envoy Gateway take: one layer of media type
// application/vnd.oci.image.layer.v1.tar+gzip whose only file is plugin.wasm (solo.io, "WASM Artifact Image
// Specification", the compat variant). The same module and annotations give the same digest, on any machine.
package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// File is the name of the module in the layer.
const File = "plugin.wasm"

// Annotations of the manifest. The standard ones are in the OCI image specification, "Annotations".
const (
	Title   = "org.opencontainers.image.title"
	Source  = "org.opencontainers.image.source"  // where the code is
	Version = "org.opencontainers.image.version" // of it
	SHA256  = "io.warmroute.module.sha256"       // of plugin.wasm, hexadecimal
)

// Image returns the image of a module. It has the given annotations, except empty ones, and the module's SHA256.
func Image(wasm []byte, annotations map[string]string) (v1.Image, error) {
	if !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		return nil, fmt.Errorf("%d bytes that are no WebAssembly module", len(wasm))
	}
	packed, unpacked, err := pack(wasm)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(v1.ConfigFile{
		Architecture: "wasm", OS: "wasip1",
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{sum(unpacked)}},
	})
	if err != nil {
		return nil, err
	}
	layer := v1.Descriptor{MediaType: types.OCILayer, Size: int64(len(packed)), Digest: sum(packed)}
	notes := map[string]string{Title: File, SHA256: sum(wasm).Hex}
	for name, value := range annotations {
		if value != "" {
			notes[name] = value
		}
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1,
		Config:      v1.Descriptor{MediaType: types.OCIConfigJSON, Size: int64(len(config)), Digest: sum(config)},
		Layers:      []v1.Descriptor{layer},
		Annotations: notes,
	})
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(&core{manifest, config, blob{layer, packed}})
}

// pack returns the layer, compressed and uncompressed. It contains no time and no owner.
func pack(wasm []byte) (packed, unpacked []byte, err error) {
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	if err := w.WriteHeader(&tar.Header{Name: File, Mode: 0o644, Size: int64(len(wasm)), Format: tar.FormatUSTAR}); err != nil {
		return nil, nil, err
	}
	if _, err := w.Write(wasm); err != nil {
		return nil, nil, err
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	if _, err := z.Write(files.Bytes()); err != nil {
		return nil, nil, err
	}
	if err := z.Close(); err != nil {
		return nil, nil, err
	}
	return zipped.Bytes(), files.Bytes(), nil
}

func sum(text []byte) v1.Hash {
	h := sha256.Sum256(text)
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h[:])}
}

// core is the part of an image that package partial needs to complete it.
type core struct {
	manifest, config []byte
	layer            blob
}

func (c *core) RawManifest() ([]byte, error)        { return c.manifest, nil }
func (c *core) RawConfigFile() ([]byte, error)      { return c.config, nil }
func (c *core) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }
func (c *core) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	if h != c.layer.Descriptor.Digest {
		return nil, fmt.Errorf("the image has no layer %s", h)
	}
	return &c.layer, nil
}

// blob is the one layer.
type blob struct {
	v1.Descriptor
	packed []byte
}

func (b *blob) Digest() (v1.Hash, error)            { return b.Descriptor.Digest, nil }
func (b *blob) Size() (int64, error)                { return b.Descriptor.Size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return b.Descriptor.MediaType, nil }
func (b *blob) Compressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.packed)), nil
}
