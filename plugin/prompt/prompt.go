// Package prompt reads the body of an LLM request as it streams by, and makes the prompt's canonical bytes: the same
// for every spelling of one prompt (member order, whitespace, escapes), and growing at the end only as a conversation
// goes on, so that the bytes of turn n are a prefix of those of turn n+1.
//
// It is a pushdown automaton over JSON (RFC 8259): lex.go splits bytes into events, machine.go walks the tables of
// shapes.go with a stack of bounded depth, canon.go keeps what they emit. There is no tree and no copy of the body.
//
// Canonical bytes are text in valid UTF-8 and framing: bytes that UTF-8 never has, so content cannot forge them.
//
//	FF tool (its JSON value follows)    FE turn (role letter follows)      FD text part
//	FC medium (16 hex digits follow)    FB field (its letter follows)      FA tool call
//	F9 object opens · F8 object or array closes · F7 array opens · F6 key or string · F5 number, true, false, null
//
// Segments have a beginning and no end. The order is: reasoning effort, arguments of the template, tools, functions,
// documents, system (or instructions), turns; within a turn: role, content, then the other members in the order of
// shapes.go. Prompts of token ids are the ids, each in four bytes, little endian. The chain of block hashes has the system
// prompt, also where it is the first turn, before the tools, unless Prompt.ToolsFirst says otherwise.
package prompt

import (
	"cmp"

	"warmroute/plugin/prefix"
)

// Format says how a request body is read.
type Format uint8

const (
	None        Format = iota // not an LLM request
	Chat                      // chat completions
	Completions               // completions
	Responses                 // OpenAI responses
	Messages                  // Anthropic messages
	Generate                  // generate: text or token ids
	ByLoad                    // embeddings, rerank, score, classify, tokenize…: no prefix to reuse
	Pointer                   // the value at a configured JSON pointer
)

var formatNames = [...]string{
	None: "none", Chat: "chat", Completions: "completions", Responses: "responses", Messages: "messages",
	Generate: "generate", ByLoad: "by_load", Pointer: "pointer",
}

// String is the name that the configuration uses.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return "unknown"
}

// Formats are the names that the configuration knows, in the order of the constants.
func Formats() []string { return formatNames[Chat : Pointer+1] }

// Status is what a Scanner wants next.
type Status uint8

const (
	More   Status = iota // go on writing
	Ready                // the prompt is known as far as it is wanted
	Broken               // the body has no prompt that can be used: route by load
)

// Source says where Prompt.Session was found.
type Source uint8

const (
	NoSession          Source = iota
	CacheKey                  // prompt_cache_key
	PreviousResponseID        // previous_response_id
	User                      // user
	SessionID                 // metadata.session_id
	UserID                    // metadata.user_id, Anthropic's place for user
	FirstUserTurn             // the canonical bytes of the first user turn, as far as Text has them
)

var sourceNames = [...]string{
	NoSession: "none", CacheKey: "prompt_cache_key", PreviousResponseID: "previous_response_id", User: "user",
	SessionID: "metadata.session_id", UserID: "metadata.user_id", FirstUserTurn: "first_user_turn",
}

func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return "unknown"
}

// Prompt is what a request body says. Its slices point into the Scanner and are valid until the Scanner's next Reset.
// Fields that came after the decision are missing (see Scanner).
type Prompt struct {
	Format  Format
	Model   []byte // model
	Adapter []byte // lora_path: a LoRA adapter named apart from the model
	Salt    []byte // cache_salt

	Session     []byte
	SessionFrom Source

	Text      []byte // the first canonical bytes, at most Options.KeepBytes
	SystemLen int    // Text[:SystemLen] is tools and system; 0 for prompts that are not made of turns
	Truncated bool   // the body's end has not come: the prompt may be longer
	Tokens    bool   // Text is token ids

	Stream       bool // stream, and not use_beam_search: vLLM (0.32, 0.33) writes nothing of a chat before its search is over, and refuses completions
	IncludeUsage bool // stream_options.include_usage
	BodyBytes    int  // bytes of the body up to the decision

	// Atypical says that the response's usage is no measure of what the replica's cache held of this prompt. By vLLM 0.32 and 0.33
	// (sampling_params.py, entrypoints/openai): prompt_logprobs, or echo with log probabilities, makes the engine skip the
	// cache; truncation, embeddings, templates and special tokens change what is computed; of a batch, prompt_tokens is the
	// sum and cached_tokens the last one's; with several choices the later ones hit what the first has computed; a
	// transfer brings blocks from elsewhere; and what a response continues (previous_response_id, previous_input_messages) is not read. So does a cache_salt, lora_path or model that comes after the decision.
	Atypical bool
	Unstored bool // likewise: the server is not to keep the response
	Media    bool // it has images, audio or video: their tokens are not in proportion to canonical bytes
	Fetched  bool // some of them are URLs: the server fetches these first, from wherever the client says
	Grammar  bool // its answer has one; the server compiles it first, which takes as long as the client likes

	Keeps float64 // tokens that the server keeps of it at most (truncate_prompt_tokens), the last ones; 0: all

	BlockBytes int // of its first blocks; 0: prefix.DefaultBlockBytes

	ToolsFirst bool // the chain has the tools before the system prompt; to be set by whoever knows the model's chat template

	size          int // canonical bytes
	most          int // blocks in the chain; what is read after the decision counts only once the body has ended
	parts         [partCount]*prefix.Fold
	count         int         // of parts
	tools, system int         // which are the first of tools, and the system prompt that may stand before it; as tools, or -1: none
	fold          prefix.Fold // of Text, if there are no parts
}

// TellsUsage says whether the response has usage. A stream of chunks has it only if the client asked for it; else its chunks need not be read.
func (p *Prompt) TellsUsage() bool {
	return !p.Stream || p.IncludeUsage || p.Format == Responses || p.Format == Messages
}

// Size is the canonical bytes that have been read: all of them, if the prompt is not Truncated. The last ones may not be in
// the chain yet.
func (p *Prompt) Size() int {
	if p.count == 0 {
		return len(p.Text)
	}
	return p.size
}

// Chain writes the prompt's blocks into c, whose memory is used again: those up to the decision or, once the body has ended,
// all. The seed is prefix.Seed's. A Prompt that was not made by a Scanner has the blocks of its Text.
func (p *Prompt) Chain(c *prefix.Chain, seed uint64) {
	c.Reset()
	if p.count == 0 {
		p.fold.Reset(cmp.Or(p.BlockBytes, prefix.DefaultBlockBytes))
		p.fold.Write(p.Text)
		c.Append(seed, &p.fold, false)
		return
	}
	for i := range p.count {
		c.Append(seed, p.part(i), i+1 < p.count)
	}
	c.Cut(p.most)
}

// Hash is what Chain has for one of its blocks, with a seed of its own: a few nanoseconds for each block up to there. It
// follows Chain.
func (p *Prompt) Hash(seed uint64, block int) uint64 {
	if p.count == 0 {
		seed, _ = p.fold.Link(seed, block+1, false)
		return seed
	}
	left := block + 1
	for i := range p.count {
		seed, left = p.part(i).Link(seed, left, i+1 < p.count)
	}
	return seed
}

// part is the i-th part of the chain.
func (p *Prompt) part(i int) *prefix.Fold {
	switch {
	case p.ToolsFirst || i < p.tools || i > p.system:
	case i == p.tools:
		i = p.system
	default:
		i--
	}
	return p.parts[i]
}

// Prefix is the leading part of Text that covers its first n characters: Unicode code points of content, a medium
// counting as its 16 digits; for token prompts, n ids. Framing bytes are included but not counted, and the framing
// after the last character is left out, so a longer prompt has the same prefix. A shorter prompt is its own prefix.
func (p *Prompt) Prefix(n int) []byte {
	if n <= 0 {
		return p.Text[:0]
	}
	if p.Tokens {
		return p.Text[:min(len(p.Text)/4, n)*4]
	}
	t := p.Text
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c == FrameTurn || c == frameField:
			if i+1 < len(t) && t[i+1] < 0x80 {
				i++ // the letter is framing
			}
		case c >= frameFirst || c&0xC0 == 0x80: // framing, or the inside of a code point
		case n == 0:
			return lastContent(t[:i])
		default:
			n--
		}
	}
	return t
}

// lastContent is t without the framing at its end.
func lastContent(t []byte) []byte {
	for len(t) > 0 {
		n := len(t)
		switch {
		case t[n-1] >= frameFirst:
			t = t[:n-1]
		case n > 1 && (t[n-2] == FrameTurn || t[n-2] == frameField):
			t = t[:n-2]
		default:
			return t
		}
	}
	return t
}
