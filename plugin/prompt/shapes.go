package prompt

// Ranks of the members of a root. Where several of the last are given, the first of them that is not empty counts.
const (
	rankEffort    int8 = iota // templates that have it put it first
	rankArguments             // of the template; some change what comes first, so all are taken to
	rankTools
	rankFunctions
	rankDocuments
	rankSystem
	rankOpening // a first turn of the system's
	rankPrompt
)

const (
	fModel = iota
	fSalt
	fAdapter
	fCacheKey
	fPreviousID
	fUser
	fSessionID
	fUserID
	fTruncation
	fToolChoice
	fieldCount

	flagStream       = 16
	flagIncludeUsage = 17
	flagAtypical     = 18
	flagMedia        = 19
	flagFetched      = 20
	flagBeams        = 21
	flagGrammar      = 22
	flagUnstored     = 23
)

// Numbers that a request may have.
const (
	nChoices = iota // n, best_of
	numberCount
)

type shapeID uint8

const (
	sSkip shapeID = iota
	sModel
	sSalt
	sAdapter
	sCacheKey
	sPreviousID
	sUser
	sSessionID
	sUserID
	sStream
	sIncludeUsage
	sStreamOptions
	sMetadata
	sAtypical
	sAtypicalIfTrue
	sBeams
	sTruncation
	sChoices
	sKept
	sGrammar
	sFormat
	sToolChoice
	sSampling
	sChatRoot
	sMessagesRoot
	sResponsesRoot
	sCompletionsRoot
	sGenerateRoot
	sByLoadRoot
	sPointerRoot
	sPointed
	sTarget
	sTargetPiece
	sEffort
	sEffortOf
	sTemplate
	sTools
	sTool
	sDump
	sTurns
	sMessage
	sItems
	sItem
	sRole
	sContent
	sPart
	sSystem
	sText
	sName
	sID
	sReasoning
	sRefusal
	sTitle
	sContext
	sArguments
	sOutput
	sCalls
	sCall
	sFunction
	sFunctionCall
	sMedium
	sMediumText
	sSealed
	sStore
	sMediaBeside
	sPrompt
	sPiece
	sTokens
)

const waitTools, waitSystem = 1 << rankTools, 1 << rankSystem

// Media are known by the members that carry them, not by `type`, which may come later. Members that are not named
// here (type, cache_control, detail, annotations, status, id of an item…) do not reach a chat template.
var shapes = [...]shape{
	sModel:      {str: opField, arg: fModel, clear: 1 << fModel},
	sSalt:       {str: opField, arg: fSalt, clear: 1 << fSalt},
	sAdapter:    {str: opField, arg: fAdapter, clear: 1 << fAdapter},
	sCacheKey:   {str: opField, arg: fCacheKey, clear: 1 << fCacheKey},
	sPreviousID: {str: opField, arg: fPreviousID, clear: 1 << fPreviousID},
	sUser:       {str: opField, arg: fUser, clear: 1 << fUser},
	sSessionID:  {str: opField, arg: fSessionID, clear: 1 << fSessionID},
	sUserID:     {str: opField, arg: fUserID, clear: 1 << fUserID},

	sStore:        {scalar: opIfFalse, arg: flagUnstored, clear: 1 << flagUnstored},
	sStream:       {scalar: opFlag, arg: flagStream, clear: 1 << flagStream},
	sIncludeUsage: {scalar: opFlag, arg: flagIncludeUsage, clear: 1 << flagIncludeUsage},
	sStreamOptions: {obj: opMembers, clear: 1 << flagIncludeUsage, members: []member{
		{"include_usage", sIncludeUsage, unranked}}},
	sMetadata: {obj: opMembers, clear: 1<<fSessionID | 1<<fUserID, members: []member{
		{"session_id", sSessionID, unranked}, {"user_id", sUserID, unranked}}},

	sAtypical:       {str: opMark, obj: opMark, arr: opMark, scalar: opMark, arg: flagAtypical},
	sAtypicalIfTrue: {scalar: opFlag, arg: flagAtypical},
	sBeams:          {str: opMark, scalar: opUnlessFalse, arg: flagBeams, clear: 1 << flagBeams},
	sTruncation:     {str: opField, arg: fTruncation, clear: 1 << fTruncation},
	sChoices:        {scalar: opNumber, arg: nChoices},
	sKept:           {str: opKept, obj: opMark, arr: opMark, scalar: opKept, arg: flagAtypical},
	sGrammar:        {str: opMark, obj: opMark, arr: opMark, scalar: opMark, arg: flagGrammar},
	sFormat: {obj: opMembers, members: []member{
		{"json_schema", sGrammar, unranked}, {"schema", sGrammar, unranked}, {"structures", sGrammar, unranked}, {"format", sFormat, unranked}}},
	sToolChoice: {str: opField, arg: fToolChoice, clear: 1 << fToolChoice, obj: opMembers, members: []member{{"type", sToolChoice, unranked}}},
	sSampling: {obj: opMembers, members: []member{
		{"prompt_logprobs", sAtypical, unranked}, {"prompt_logprob_token_ids", sAtypical, unranked},
		{"skip_reading_prefix_cache", sAtypicalIfTrue, unranked}, {"n", sChoices, unranked}, {"structured_outputs", sGrammar, unranked},
		{"json_schema", sGrammar, unranked}, {"regex", sGrammar, unranked}, {"ebnf", sGrammar, unranked}}},

	sChatRoot: {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, wait: waitTools, members: []member{
		{"messages", sTurns, rankPrompt}, {"tools", sTools, rankTools}, {"functions", sTools, rankFunctions},
		{"documents", sTools, rankDocuments}, {"reasoning_effort", sEffort, rankEffort}, {"chat_template_kwargs", sTemplate, rankArguments}}},
	sMessagesRoot: {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, wait: waitTools | waitSystem, members: []member{
		{"messages", sTurns, rankPrompt}, {"tools", sTools, rankTools}, {"system", sSystem, rankSystem},
		{"output_config", sFormat, unranked}, // its effort is left out: docs/notes.md
		{"chat_template_kwargs", sTemplate, rankArguments}}},
	sResponsesRoot: {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, wait: waitTools | waitSystem, members: []member{
		{"input", sItems, rankPrompt}, {"tools", sTools, rankTools}, {"instructions", sSystem, rankSystem},
		{"reasoning", sEffortOf, rankEffort}, {"chat_template_kwargs", sTemplate, rankArguments}, {"text", sFormat, unranked},
		{"previous_input_messages", sAtypical, unranked}}},
	sCompletionsRoot: {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, members: []member{
		{"prompt", sPrompt, rankPrompt}}},
	sGenerateRoot: {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, members: []member{
		{"prompt", sPrompt, rankPrompt}, {"text", sPrompt, rankPrompt + 1}, {"inputs", sPrompt, rankPrompt + 2},
		{"token_ids", sPrompt, rankPrompt + 3}, {"prompt_token_ids", sPrompt, rankPrompt + 4},
		{"input_ids", sPrompt, rankPrompt + 5}, {"sampling_params", sSampling, unranked},
		{"logprob_start_len", sAtypical, unranked}, {"input_embeds", sAtypical, unranked},
		{"session_params", sAtypical, unranked}, {"image_data", sMediaBeside, unranked}}},
	sByLoadRoot:  {str: opBad, obj: opRoot, arr: opBad, scalar: opBad, null: opBad, members: []member{{"model", sModel, unranked}}},
	sPointerRoot: {obj: opPointed, arr: opPointed},
	sPointed:     {obj: opPointed, arr: opPointed},
	sTarget:      {str: opText, obj: opDump, arr: opPieces, scalar: opDump, strMark: "\xfd", objMark: "\xf9", elem: sTargetPiece},
	sTargetPiece: {str: opPiece, obj: opDump, arr: opTokens, scalar: opToken, null: opBad, strMark: "\xfd", objMark: "\xf9", elem: sTokens},

	sEffort:   {str: opText, strMark: "\xfbe"},
	sEffortOf: {obj: opRecord, members: []member{{"effort", sEffort, 0}}},

	sTemplate: {obj: opDump, objMark: "\xfbk\xf9", elem: sDump},

	sTools: {str: opBad, obj: opBad, arr: opList, scalar: opBad, elem: sTool},
	sTool: {str: opDump, obj: opDump, arr: opDump, scalar: opDump, null: opDump,
		strMark: "\xff\xf6", objMark: "\xff\xf9", arrMark: "\xff\xf7", elem: sDump},
	sDump: {str: opDump, obj: opDump, arr: opDump, scalar: opDump, null: opDump,
		strMark: "\xf6", objMark: "\xf9", arrMark: "\xf7", elem: sDump},

	sTurns: {str: opBad, obj: opBad, arr: opList, scalar: opBad, elem: sMessage},
	sMessage: {str: opBad, obj: opRecord, arr: opBad, scalar: opBad, objMark: "\xfe", turn: true, members: []member{
		{"role", sRole, 0}, {"content", sContent, 1}, {"reasoning_content", sReasoning, 2}, {"reasoning", sReasoning, 3},
		{"name", sName, 4}, {"tool_call_id", sID, 5}, {"refusal", sRefusal, 6}, {"tool_calls", sCalls, 7},
		{"function_call", sFunctionCall, 8}, {"audio", sMedium, 9}}},
	sItems: {str: opUserText, obj: opBad, arr: opList, scalar: opBad, strMark: "\xfeu\xfd", elem: sItem},
	sItem: {str: opBad, obj: opRecord, arr: opBad, scalar: opBad, objMark: "\xfe", turn: true, members: []member{
		{"role", sRole, 0}, {"content", sContent, 1}, {"call_id", sID, 2}, {"name", sName, 3}, {"arguments", sArguments, 4},
		{"input", sArguments, 5}, {"output", sOutput, 6}, {"summary", sContent, 7}, {"encrypted_content", sSealed, 8},
		{"action", sArguments, 9}}},
	sRole:    {str: opRole, obj: opBad, arr: opBad, scalar: opBad},
	sContent: {str: opText, obj: opBad, arr: opList, scalar: opBad, strMark: "\xfd", elem: sPart},
	sPart: {str: opText, obj: opRecord, arr: opBad, scalar: opBad, strMark: "\xfd", members: []member{
		{"text", sText, 0}, {"refusal", sRefusal, 1}, {"thinking", sReasoning, 2}, {"id", sID, 3}, {"tool_use_id", sID, 4},
		{"name", sName, 5}, {"input", sArguments, 6}, {"title", sTitle, 7}, {"context", sContext, 8}, {"content", sContent, 9},
		{"image_url", sMedium, 10}, {"input_audio", sMedium, 11}, {"audio_url", sMedium, 12}, {"video_url", sMedium, 13},
		{"file", sMedium, 14}, {"source", sMedium, 15}, {"image", sMedium, 16}, {"audio", sMedium, 17}, {"video", sMedium, 18},
		{"image_embeds", sMedium, 19}, {"audio_embeds", sMedium, 20}, {"file_id", sMedium, 21}, {"file_data", sMedium, 22},
		{"file_url", sMedium, 23}, {"data", sMedium, 24}}},
	sSystem: {str: opText, obj: opBad, arr: opList, scalar: opBad, strMark: "\xfes\xfd", arrMark: "\xfes", elem: sPart},

	sText: {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfd"},
	sName: {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfbn"},
	sID:   {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfbi"},
	sReasoning: {str: opText, obj: opRecord, arr: opBad, scalar: opBad, strMark: "\xfbr", objMark: "\xfbr", members: []member{
		{"data", sMediumText, 0}}}, // embeddings, from vLLM 0.33 on
	sRefusal:   {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfbf"},
	sTitle:     {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfbt"},
	sContext:   {str: opText, obj: opBad, arr: opBad, scalar: opBad, strMark: "\xfbc"},
	sArguments: {str: opText, obj: opDump, arr: opDump, scalar: opDump, strMark: "\xfba", objMark: "\xfba\xf9", arrMark: "\xfba\xf7", elem: sDump},
	sOutput:    {str: opText, obj: opDump, arr: opList, scalar: opBad, strMark: "\xfbo", objMark: "\xfbo\xf9", arrMark: "\xfbo", elem: sPart},

	sCalls: {str: opBad, obj: opBad, arr: opList, scalar: opBad, elem: sCall},
	sCall: {str: opBad, obj: opRecord, arr: opBad, scalar: opBad, objMark: "\xfa", members: []member{
		{"id", sID, 0}, {"function", sFunction, 1}, {"custom", sFunction, 2}}},
	sFunction: {str: opBad, obj: opRecord, arr: opBad, scalar: opBad, members: []member{
		{"name", sName, 0}, {"arguments", sArguments, 1}, {"input", sArguments, 2}}},
	sFunctionCall: {str: opBad, obj: opRecord, arr: opBad, scalar: opBad, objMark: "\xfa", members: []member{
		{"name", sName, 0}, {"arguments", sArguments, 1}, {"input", sArguments, 2}}},

	sMedium: {str: opMedium, obj: opRecord, arr: opBad, scalar: opBad, members: []member{
		{"url", sMediumText, 0}, {"data", sMediumText, 1}, {"file_id", sMediumText, 2}, {"file_data", sMediumText, 3},
		{"file_url", sMediumText, 4}, {"id", sMediumText, 5}, {"image_embeds", sMediumText, 6}, {"content", sContent, 7}}},
	// What only the server can read: how long it is, nobody knows.
	sSealed:     {str: opMedium, obj: opBad, arr: opBad, scalar: opBad, arg: 1},
	sMediumText: {str: opMedium, obj: opBad, arr: opBad, scalar: opBad},
	// SGLang's: media that stand in no turn, and are not in the canonical bytes.
	sMediaBeside: {str: opMark, obj: opMark, arr: opMark, arg: flagAtypical},

	sPrompt: {str: opText, obj: opBad, arr: opPieces, scalar: opBad, strMark: "\xfd", elem: sPiece},
	sPiece:  {str: opPiece, obj: opBad, arr: opTokens, scalar: opToken, null: opBad, strMark: "\xfd", elem: sTokens},
	sTokens: {str: opBad, obj: opBad, arr: opBad, scalar: opToken, null: opBad},
}

// rootOf is the shape of a body of each format.
var rootOf = [...]shapeID{
	None: sByLoadRoot, Chat: sChatRoot, Completions: sCompletionsRoot, Responses: sResponsesRoot, Messages: sMessagesRoot,
	Generate: sGenerateRoot, ByLoad: sByLoadRoot, Pointer: sPointerRoot,
}
