package find

// The names under which logs have what is wanted, as loose.Plain gives them; what is looked for first stands first.
var (
	bodyNames    = []string{"requestbody", "reqbody", "body", "proxyserverrequest", "httprequest", "request", "req", "payload", "inputbodyjson", "input", "kwargs"}
	answerNames  = []string{"responsebody", "respbody", "response", "resp", "answer", "completion", "output", "outputs", "outputbodyjson", "result", "fullresponse", "tooluseresult", "mlflowspanoutputs"}
	wrapNames    = []string{"jsonpayload", "textpayload", "log", "message", "msg", "line", "event", "standardloggingobject", "nginxfields", "attributes", "source", "raw"}
	sessionNames = []string{"session", "sessionid", "xsessionid", "xsessionaffinity", "xclaudecodeagentid", "xclaudecodesessionid", "conversationid", "conversation", "threadid",
		"xopenwebuichatid", "chatid", "xlitellmsessionid", "xaffinity", "heliconesessionid", "promptcachekey", "traceid"} // the module's session_headers, too
	pathNames     = []string{"path", "url", "uri", "requesturi", "requestpath", "xenvoyoriginalpath", "endpoint", "request", "requestline", "target"}
	methodNames   = []string{"method", "requestmethod", "httpmethod", "verb"}
	statusNames   = []string{"status", "responsecode", "statuscode", "httpstatus", "responsestatus"}
	idNames       = []string{"customid"}
	usageNames    = []string{"usage", "usageobject", "usagedetails", "usagemetadata", "tokenusage", "llmoutput", "metrics"}
	outputNames   = []string{"completiontokens", "outputtokens", "generatedtokens", "outputlength", "candidatestokencount", "evalcount", "outputtokencount", "tokensout"}
	metadataNames = []string{"metadata", "headers", "requestheaders", "tags", "extra", "requestproperties"} // the last Helicone's
	settingNames  = []string{"modelparameters"}                                                             // LiteLLM's and Langfuse's
	requestNames  = []string{"request", "httprequest", "req"}
)
