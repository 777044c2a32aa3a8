package oci

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Push uploads the image to a registry under ref (host/repository:tag), with the credentials of docker login, and returns
// its name with the digest in place of the tag. A registry on loopback may use plain HTTP.
func Push(ctx context.Context, ref string, image v1.Image) (pinned string, err error) {
	tag, err := name.ParseReference(ref, name.StrictValidation)
	if err != nil {
		return "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", err
	}
	if err := remote.Write(tag, image, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return "", fmt.Errorf("pushing to %s: %w", tag, err)
	}
	return tag.Context().Digest(digest.String()).String(), nil
}

// Write writes the image to dir as an OCI image layout (OCI image specification, "Image Layout"), which skopeo and crane
// can push to any registry. Other files in dir stay.
func Write(dir string, image v1.Image) error {
	manifest, err := image.RawManifest()
	if err != nil {
		return err
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	index, err := json.Marshal(v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex,
		Manifests: []v1.Descriptor{{MediaType: types.OCIManifestSchema1, Size: int64(len(manifest)), Digest: sum(manifest)}},
	})
	if err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	blobs := [][]byte{manifest, config}
	for _, layer := range layers {
		packed, err := layer.Compressed()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(packed) // from memory: no Close
		if err != nil {
			return err
		}
		blobs = append(blobs, text)
	}
	if err := os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o755); err != nil {
		return err
	}
	for _, text := range blobs {
		if err := os.WriteFile(filepath.Join(dir, "blobs", "sha256", sum(text).Hex), text, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.json"), index, 0o644)
}
