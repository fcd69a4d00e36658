// Texts of the API reference. Descriptions from the API are always in English.

import { format } from "../format.ts";

const span = (min: number | undefined, max: number | undefined, unit: string) => {
	if (min === undefined || min === 0) return `≤ ${max} ${unit}`;
	if (max === undefined) return `≥ ${min} ${unit}`;
	return min === max ? `${min} ${unit}` : `${min}–${max} ${unit}`;
};

export default {
	/** Empty if the reference itself is in this language. */
	englishOnly: "" as string,
	/** Beside a guide in another language; empty where all are in this one. */
	englishGuide: "" as string,
	title: "API reference",
	lead: "Every endpoint with its fields, its errors, code, and a form to try it.",
	search: "Search the API and the guides",
	contents: "Contents",
	overview: "Overview",
	guides: "Guides",
	openApi: "OpenAPI document",
	results: (count: number, query: string) =>
		format.plural(count, { one: `# result for “${query}”`, other: `# results for “${query}”` }),
	moreResults: (count: number) =>
		format.plural(count, { one: "# more. Add a word.", other: "# more. Add a word." }),
	noResults: "No results",
	noResultsText: "Search for a path, a field, an error code or a word from a guide, such as “nonce.reused”.",
	contains: "contains",

	start: "Where to start",
	ways: {
		signing: { title: "Call the open APIs", text: "Your system signs each request with its Secret." },
		thirdParty: {
			title: "Sign people in to your application",
			text: "With accounts here or at another provider.",
		},
		automation: { title: "Automate administration", text: "Scripts and pipelines with an admin key." },
		webhooks: { title: "Follow what happens", text: "Signed notifications of changes." },
	},
	guideTitles: {
		"protect-your-application": "Protect your application",
		"single-page-applications": "Sign users in to a single-page application",
		openid: "OpenID Connect and OAuth",
		"no-secret-in-your-pipeline": "No secret in your pipeline",
		"employees-programs": "Employees' programs at your API without a second consent",
		"customer-sign-in": "Let an organization sign in with its own accounts",
		directories: "Connect a directory",
		gate: "The gate: protect an existing API",
		mcp: "Protect an MCP server in ten minutes",
		packages: "Packages",
		signing: "Signed requests",
		api: "The API",
		errors: "Errors",
		webhooks: "Webhooks",
		automation: "Automation",
		"configuration-as-code": "Configuration as code",
		"third-party-login": "Third-party login",
		"second-factors": "Second factors",
		"browser-sessions": "Sessions in the browser",
	},
	endpoints: "Endpoints",
	count: (count: number) => format.plural(count, { one: "# endpoint", other: "# endpoints" }),

	signingTitle: "Signing a request",
	signingIntro:
		"Calls to /api/v1/external/* carry no token. Each call is signed with your client's Secret, which is never sent. Send these six headers over HTTPS:",
	signingLines: "The text to sign has nine lines, joined by line feeds, with none after the last line:",
	signingMore: "Complete code in five languages is in the guide:",
	textToSign: "Text to sign",
	headers: {
		"X-Tenant-ID": "the client's tenant_id",
		"X-App-ID": "the client's app_id",
		"X-API-Key": "the client's api_key",
		"X-Timestamp": "Unix time in seconds, at most 300 seconds from the service's clock",
		"X-Nonce": "16 to 128 of A–Z a–z 0–9 . _ ~ -, never used before",
		"X-Signature": "HMAC-SHA256 of the text below in hex; the key is the Secret as it was shown",
	},
	hints: [
		"Sign the path and query exactly as sent. Do not decode, sort or re-encode them.",
		"Hash the body's bytes exactly as sent. Without a body, use the hash of an empty string: e3b0c442…b855.",
		"Every attempt needs a new nonce. A nonce is consumed once the signature and IP address are accepted, even if the response is then 403 scope.missing, 400 or 404.",
		"GET /api/v1/external/whoami shows which client, address and time the service saw.",
	],
	errorsIntro:
		"Errors return a status and { “error”: “…” }. Send Accept: application/problem+json to also get the stable code, the request ID and the invalid fields (RFC 9457). After a 429 or 503, wait for the time in Retry-After.",
	errorsMore: "Every code and what to do about it:",

	allowed: "Callers",
	security: {
		bearer: "Bearer token",
		adminKey: "Admin key",
		signed: "Signed request",
		sessionCookie: "Session cookie",
		oauthClient: "OAuth client",
		oauthToken: "OAuth access token",
		none: "Public",
	},
	guide: "Guide",
	linkHere: "Link to this endpoint",
	parameters: "Parameters",
	places: { path: "path", query: "query", header: "header", cookie: "cookie" },
	body: "Request body",
	form: "Form",
	responses: "Responses",
	noBody: "No body.",
	example: "Example",
	errors: "Errors",
	errorsText: "Send Accept: application/problem+json to receive the codes.",
	otherStatus: "other",
	required: "required",
	nested: (count: number) => format.plural(count, { one: "# field", other: "# fields" }),
	type: { or: " or ", listOf: (type: string) => `list of ${type}`, object: "object", any: "any value" },
	characters: (min: number | undefined, max: number | undefined) => span(min, max, "characters"),
	items: (min: number | undefined, max: number | undefined) => span(min, max, "items"),
	pattern: "pattern",
	oneOf: "one of",
	fallback: "default",

	codeTitle: "Code",
	codeLabel: "Code for this call",
	tokenNote: "The access token or admin key is in the environment variable TOKEN.",
	signedNote: "signed() is in the guide “Signed requests”",
	tryIt: "Try it",
	codeAndTry: "Code and try it",
	tryAs: (name: string) => `As ${name}, on this installation.`,
	tryPublic: "Without signing in, on this installation.",
	changesData: "This call changes real data.",
	send: (method: string) => `Send ${method}`,
	optionalParameters: (count: number) =>
		format.plural(count, { one: "# optional parameter", other: "# optional parameters" }),
	any: "any",
	missing: "A value is required.",
	noJson: "This is not valid JSON.",
	signInToTry: "Sign in to send this call with your session. Nothing is sent before you press the button.",
	notAllowed: (allowed: string) => `Your account does not have a role for this call. Allowed: ${allowed}.`,
	trySigned:
		"A signed call needs a client's Secret, which must not be entered in this page. Use the code above.",
	tryCookie: "This call uses the browser's session cookie. The pages send it for you.",
	noCaller: "This path is always refused; no caller can use it.",
	confirmTitle: "Send this call?",
	confirmText: "It cannot be undone:",
	response: "Response",
	redirected: "Redirect",
	redirectedText: "The service returned a redirect, which this page does not follow.",
	took: (milliseconds: number) => `${format.number(milliseconds)} ms`,
	cutResponse: "The response is truncated.",
	responseHeaders: "Headers",
};
