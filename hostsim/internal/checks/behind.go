package checks

import (
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// refusing are types of filters that answer requests themselves.
var refusing = []string{
	"ext_authz.v3.ExtAuthz", "jwt_authn.v3.JwtAuthentication", "rbac.v3.RBAC", "ratelimit.v3.RateLimit", "local_ratelimit.v3.LocalRateLimit", "oauth2.v3.OAuth2",
	"basic_auth.v3.BasicAuth", "api_key_auth.v3.ApiKeyAuth", "csrf.v3.CsrfPolicy", "admission_control.v3.AdmissionControl", "adaptive_concurrency.v3.AdaptiveConcurrency",
}

// routing says whether an HTTP filter is a module that routes.
func routing(f any) bool {
	at, _ := tree.Member(f, "typed_config").(map[string]any)
	c, _ := at["config"].(map[string]any)
	if c == nil || !manifest.IsOurs(c) {
		return false
	}
	parsed, err := config.Parse(manifest.FromWasm("", c).JSON)
	return err == nil && parsed.Role == config.RoleGateway
}

func disabled(f any) bool { return tree.Member(f, "disabled") == true }

// behind names filters that override the choice, and those between the module and the router that should stand before it: those that refuse what it has read and counted by then,
// those that pack answers before it reads them, and those that answer for replicas that fail.
func behind(m map[string]any, where string) (out []finding.Finding) {
	ours := false
	var refuse []string
	for _, f := range tree.Items(m, "http_filters") {
		at, _ := tree.Member(f, "typed_config").(map[string]any)
		if disabled(f) {
			continue
		}
		if tree.Typed(at, "stateful_session.v3.StatefulSession") {
			out = append(out, finding.Weak.At(where, "the filter "+tree.Str(f, "name")+" overrides the choice: a request with its cookie or header goes to the replica that stands there, which clients can write themselves",
				"no stateful_session on routes to replicas; sessions stay where they are cached, and session_headers names their header"))
		}
		if ours = ours || routing(f); !ours {
			continue
		}
		for _, kind := range refusing {
			if tree.Typed(at, "filters.http."+kind) {
				refuse = append(refuse, tree.Str(f, "name"))
			}
		}
		if tree.Typed(at, "compressor.v3.Compressor") && tree.Member(at, "response_direction_config", "common_config", "enabled", "default_value") != false {
			out = append(out, finding.Weak.At(where, "the filter "+tree.Str(f, "name")+" stands behind the module and packs answers before it reads them: where clients accept that, as OpenAI's do, no true hit is learned",
				"that filter before warmroute"))
		}
		if tree.Typed(at, "custom_response.v3.CustomResponse") {
			out = append(out, finding.Weak.At(where, "the filter "+tree.Str(f, "name")+" stands behind the module and answers in place of replicas that fail: they seem not to, and none is left", "that filter before warmroute"))
		}
	}
	if len(refuse) > 0 {
		out = append(out, finding.Weak.At(where, "filters behind the module refuse requests: "+strings.Join(refuse, ", ")+"; it has read and held these by then, and counts them as cancelled", "those filters before warmroute"))
	}
	return out
}
