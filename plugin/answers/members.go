package answers

// Numbers that an answer's usage may have.
const (
	nPrompt       = iota // usage.prompt_tokens
	nInput               // usage.input_tokens
	nPromptCached        // usage.prompt_tokens_details.cached_tokens
	nInputCached         // usage.input_tokens_details.cached_tokens
	nCacheRead           // usage.cache_read_input_tokens
	nCacheCreated        // usage.cache_creation_input_tokens
	nCompletion          // usage.completion_tokens
	nOutput              // usage.output_tokens
	usageNumbers
)

// usagePlace is an object that leads to usage.
type usagePlace uint8

const (
	inAnswer usagePlace = iota
	inEvent             // response or message
	inUsage
	inPromptDetails
	inInputDetails
)

// usageMember is a member of such an object: a number, or an object that leads on.
type usageMember struct {
	name   string
	number int8 // −1: none
	place  usagePlace
}

var notUsage = usageMember{number: -1, place: inAnswer}

var usageMembers = [...][]usageMember{
	inAnswer:        {{"usage", -1, inUsage}, {"response", -1, inEvent}, {"message", -1, inEvent}},
	inEvent:         {{"usage", -1, inUsage}},
	inUsage:         {{"prompt_tokens", nPrompt, 0}, {"prompt_tokens_details", -1, inPromptDetails}, {"completion_tokens", nCompletion, 0}, {"input_tokens", nInput, 0}, {"input_tokens_details", -1, inInputDetails}, {"output_tokens", nOutput, 0}, {"cache_read_input_tokens", nCacheRead, 0}, {"cache_creation_input_tokens", nCacheCreated, 0}},
	inPromptDetails: {{"cached_tokens", nPromptCached, 0}},
	inInputDetails:  {{"cached_tokens", nInputCached, 0}},
}
