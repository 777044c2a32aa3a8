package find

import "warmroute/hostsim/internal/loose"

// promptNames are the members that say how many tokens a prompt had, as the server counted them.
var promptNames = []string{"prompttokens", "inputtokens", "prompttokencount", "inputtokencount", "promptlength", "tokensin"}

// Prompted is how many tokens the server counted of a record's prompt; 0: the record does not say.
func Prompted(o loose.Object) int { return promptedIn(o, 3) }

func promptedIn(o loose.Object, depth int) int {
	if o == nil {
		return 0
	}
	for _, at := range []loose.Object{o, o.Get(usageNames).Object()} {
		if n, ok := at.Get(promptNames).Whole(); ok && n > 0 {
			return n
		}
	}
	if depth > 0 {
		for _, name := range o.Names(append([]string{"body"}, answerNames...), false) {
			if n := promptedIn(o[name].Object(), depth-1); n > 0 {
				return n
			}
		}
	}
	return 0
}
