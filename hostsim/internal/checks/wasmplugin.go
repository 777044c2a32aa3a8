package checks

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// resource judges what a WasmPlugin has beside the module's configuration. What its definition refuses is kubectl's to say.
func resource(f *manifest.Filter) []finding.Finding {
	if !strings.HasPrefix(f.Where, manifest.WasmPlugin) {
		return nil
	}
	var out []finding.Finding
	if f.Meshed {
		out = append(out, meshed(f.Where, "selector: {matchLabels: …}"))
	}
	if phase := tree.Str(f.Spec, "phase"); phase != "" && phase != "UNSPECIFIED_PHASE" {
		out = append(out, finding.Weak.At(f.Where, "phase "+phase+" puts the module before Istio's own filters of that kind: it reads what they would refuse", "no phase: right before the router"))
	}
	if s := tree.Str(f.Spec, "failStrategy"); s == "" || s == "FAIL_CLOSE" {
		if s == "" {
			s = "not set, which is FAIL_CLOSE"
		}
		out = append(out, finding.Weak.At(f.Where, "failStrategy is "+s+": requests get 403 while the image cannot be had, and 503 after a trap", "failStrategy: FAIL_OPEN"))
	}
	return out
}

// meshed says that a resource is at more than the gateway.
func meshed(where, cure string) finding.Finding {
	return finding.Weak.At(where, "it has no selector: in istio-system it is at all gateways and sidecars of the mesh, elsewhere at all of its namespace", cure+", the labels of your gateway, as kubectl get pods --show-labels shows them")
}

// image judges where the module comes from: in a WasmPlugin, an EnvoyFilter or an EnvoyExtensionPolicy.
func image(f *manifest.Filter) []finding.Finding {
	for _, url := range []string{tree.Str(f.Spec, "url"), tree.Str(f.Spec, "code", "image", "url"), tree.Str(f.Wasm, "vm_config", "code", "remote", "http_uri", "uri")} {
		if strings.Contains(url, placeholder) {
			return []finding.Finding{finding.Weak.At(f.Where, "the image "+url+" is a placeholder, which no gateway can pull: as it is shipped, all requests then pass unsteered",
				strings.Replace(url, placeholder, "YOUR-REGISTRY/", 1)+", as ./build.sh image --push has made it")}
		}
	}
	return nil
}

// placeholder is the registry in what we ship and print.
const placeholder = "registry.example.com/"

// adminCluster is the one by which each proxy of Istio has its own admin interface.
const adminCluster = "prometheus_stats"

// names judges the names of clusters in a resource of Istio, which makes them of a port, a subset and a host.
func (s setup) names(f *manifest.Filter, p *config.Pool) []finding.Finding {
	if !strings.HasPrefix(f.Where, manifest.WasmPlugin) {
		return nil
	}
	all := []string{p.Discovery.Cluster, p.Scrape.Cluster, p.Steer.Cluster}
	slices.Sort(all)
	var out []finding.Finding
	if name := p.Discovery.AdminCluster; name != "" && name != adminCluster && s.Cluster(name) == nil && !s.adds(name) {
		out = append(out, finding.Weak.At(f.Where, "Istio's proxies have no cluster "+name+" on their own: no endpoint is found, and all requests pass unsteered", "discovery: {admin_cluster: "+adminCluster+"}"))
	}
	for _, name := range slices.Compact(all) {
		if part := strings.Split(name, "|"); name == "" || s.Cluster(name) != nil || len(part) == 4 && part[0] == "outbound" && part[1] != "" && strings.Contains(part[3], ".") {
			continue
		}
		out = append(out, finding.Weak.At(f.Where, "the cluster "+name+" has no name that Istio gives to a Service", "outbound|PORT||SERVICE.NAMESPACE.svc.cluster.local, as istioctl proxy-config clusters shows it"))
	}
	return out
}

// adds says whether an EnvoyFilter adds a cluster of that name.
func (s setup) adds(cluster string) bool {
	return slices.ContainsFunc(s.Patches, func(p manifest.Patch) bool { return p.ApplyTo == "CLUSTER" && tree.Str(p.Value, "name") == cluster })
}
