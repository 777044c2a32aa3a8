// Package others judges what is sent to a pool's endpoints by others than this proxy.
//
//	unshared  prompts of gateways that share nothing with this one, by what responses show in caches
//	lasting   requests that pages of metrics show and nobody has told of
//	likewise  what gateways that tell of their requests have sent since they last did
//
// Time is an argument, in nanoseconds of one clock that may be set back.
package others

// Unshared is what responses have shown of prompts that other gateways sent, which share nothing with this one.
type Unshared struct {
	share     float64               // of responses that show in a cache what this gateway has sent nowhere, smoothed
	hidden    [hiddenClasses]hidden // by class of what was sent nowhere
	allHidden hidden
	met       float64 // Company: the mean share found, over the last `tries` responses
	tries     float64
}

// hidden is bytes of prompts that were not known to be at the endpoint that was guessed, and how many of them were, smoothed.
type hidden struct{ unknown, found float64 }

const (
	// foreignWeight is the weight of one response. A gateway that is alone sees one of several hundred at most: of a conversation
	// that it has not seen, or has sent elsewhere, no cache holds more than what was sent. With others, 1 to 5 % of the responses show them.
	foreignWeight = 0.01

	// Shares of responses that show other gateways from which Company is above 0, and from which it is 1: one such response
	// is believed for the 250 after it.
	foreignFrom = 0.001
	foreignFull = 0.002

	// hiddenWeight is that of a response in Hidden, which follows the last fifty or so.
	hiddenWeight = 0.02

	// Hidden tells prompts apart by the tokens that this gateway has sent nowhere: up to hiddenLeast, twice as many, and so on.
	hiddenLeast   = 512
	hiddenClasses = 10

	// companyLeast is the share of the requests on pages of metrics from which other gateways may be there.
	companyLeast = 0.1

	// Of how many responses Company is at most the mean; below which mean it falls, and below which it is 0. Before the first response
	// one counts that has found all: so after 9 that found nothing it falls, and after 19 it is 0.
	mostTries           = 50
	metFull, metNothing = 0.1, 0.05
)

// Note counts a response; more says that it showed in the endpoint's cache what this gateway has sent nowhere.
func (u *Unshared) Note(more bool) {
	u.share -= u.share * foreignWeight
	if more {
		u.share += foreignWeight
	}
}

// NoteHidden counts a response of a request whose endpoint was guessed to hold more than was known: bytes of the prompt that
// were not known to be there, and how many of them were.
func (u *Unshared) NoteHidden(class, unknown, found int) {
	u.hidden[class].note(unknown, found)
	u.allHidden.note(unknown, found)
}

func (h *hidden) note(unknown, found int) {
	h.unknown += hiddenWeight * (float64(unknown) - h.unknown)
	h.found += hiddenWeight * (float64(min(max(found, 0), unknown)) - h.found)
}

// NoteNew counts a response of a prompt that nothing was known of but what others begin with, too, and that was sent to its place
// on the ring: bytes behind that, and how many of them the endpoint held.
func (u *Unshared) NoteNew(unknown, found int) {
	if unknown > 0 {
		u.tries = min(u.tries+1, mostTries)
		u.met += (float64(min(max(found, 0), unknown))/float64(unknown) - u.met) / u.tries
	}
}

// Company is how far, 0 to 1, this gateway is to act as if others, which share nothing with it, sent turns of the same conversations.
// Pages of metrics tell within a second whether there are others: others is the share of the requests on them that are not counted here, if
// it is known. Where they show none, it is alone, whatever responses seem to show.
// Where there are some, either responses have shown their prompts (Note), or it is still open whether they share
// conversations. That is seen where prompts that are new here go to their place on the ring: as long as something is found there now
// and then, all gateways meet from the first turn on.
func (u *Unshared) Company(others float64, known bool) float64 { return u.company(1, others, known) }

// Shown is Company as far as responses have shown such gateways: while it is open, others may be clients of another kind.
func (u *Unshared) Shown(others float64, known bool) float64 { return u.company(0, others, known) }

// Accompanied is the Company from which it counts that other gateways send the same conversations.
const Accompanied = 0.5

// company is Company where the first share found is taken to be that, before any response.
func (u *Unshared) company(first, others float64, known bool) float64 {
	shown := between(u.share, foreignFrom, foreignFull)
	switch {
	case !known:
		return shown
	case others < companyLeast:
		return 0
	}
	met := (first + u.met*u.tries) / (1 + u.tries)
	return max(shown, between(met, metNothing, metFull))
}

// between is where a share lies from a first to a last one, 0 to 1.
func between(share, from, full float64) float64 { return min(max((share-from)/(full-from), 0), 1) }

// Class is the class of a prompt of which this gateway has sent so many tokens nowhere.
func Class(tokens float64) (class int) {
	for most := float64(hiddenLeast); tokens > most && class < hiddenClasses-1; most *= 2 {
		class++
	}
	return class
}

// Hidden is the share, 0 to 1, of what is not known of a known conversation's prompt at its place on the ring that has turned out to be
// there, because other gateways had sent it. It depends on how much of the prompt this gateway has sent nowhere, its class. If that is no
// more than a turn, the last turn came here, and nobody has anything newer; if it is many turns, others had them, and most have sent them to
// the ring. So each class has its own share. Before the first response it is 1: only a gateway that looks there learns it, and
// if all gateways look there, all find it. known says whether pages tell if there are others.
func (u *Unshared) Hidden(class int, known bool) float64 {
	h := &u.hidden[class]
	if h.unknown == 0 && !known { // it may be alone, and one response is to show it
		h = &u.allHidden
	}
	if h.unknown == 0 {
		return 1
	}
	return h.found / h.unknown
}
