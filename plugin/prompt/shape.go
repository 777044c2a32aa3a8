package prompt

// Framing bytes. UTF-8 (RFC 3629) has none of them.
const (
	frameFirst  = 0xF5
	frameScalar = 0xF5
	frameString = 0xF6
	frameArray  = 0xF7
	frameClose  = 0xF8
	frameObject = 0xF9
	frameCall   = 0xFA
	frameField  = 0xFB
	frameMedium = 0xFC
	frameText   = 0xFD
	FrameTurn   = 0xFE // begins each turn in the Text of a Prompt
	frameTool   = 0xFF
)

// op is what is done with a value.
type op uint8

const (
	opSkip        op = iota // read it, keep nothing
	opBad                   // the body does not have the shape of its format
	opField                 // string: kept in fields[arg]
	opFlag                  // true: sets bit arg of flags
	opMark                  // any value but null: sets bit arg of flags
	opUnlessFalse           // any value but false and null: sets bit arg of flags
	opIfFalse               // false: sets bit arg of flags
	opText                  // string: its text is canonical
	opUserText              // the same, and it is a user turn by itself
	opPiece                 // the same, as an element of a prompt
	opRole                  // string: the turn's role
	opMedium                // string: its digest is canonical
	opDump                  // the whole value is canonical, in the order of its members
	opRecord                // object: the members' values in the order of their ranks
	opRoot                  // the same, for the whole body
	opMembers               // object: members without canonical bytes
	opList                  // array: each element has shape elem
	opPieces                // array of an array of tokens, or of strings or tokens
	opToken                 // number: a token id
	opTokens                // array: token ids, as an element of a prompt
	opNumber                // number: kept in numbers[arg]
	opKept                  // number, or string: tokens that the server keeps of the prompt
	opPointed               // object or array on the way to the pointer's target
)

// shape says what is done with a value of each kind. null counts as absent, unless null says otherwise; in a dump it
// is a value like others.
type shape struct {
	str, obj, arr, scalar, null op

	strMark, objMark, arrMark string // written before the value

	arg     uint8
	clear   uint32 // fields and flags that an earlier member of the same name has set
	turn    bool   // an object of this shape is a turn
	wait    uint32 // ranks of a root that the decision waits for
	elem    shapeID
	members []member
}

// member is one member of an object. Members with a rank have canonical bytes; they are laid out by rank.
type member struct {
	key   string
	shape shapeID
	rank  int8 // unranked: no canonical bytes
}

const unranked int8 = -1
