// The Spectral OWASP rules as `npm run lint:api` uses them: which are ignored, which look at requests only, and why.

/** Rules that are off, with the reason. */
export const IGNORED_RULES: Readonly<Record<string, string>> = {
	"owasp:api2:2023-read-restricted":
		"Public by design: health, keys, metadata, sign-in pages of browsers. test/matrix/table.ts lists who may call each route.",
	"owasp:api2:2023-write-restricted":
		"Public by design: registration, sign-in, links of mails; the body carries the credential. test/matrix/table.ts lists who may call each route.",
	"owasp:api4:2023-integer-format":
		"All integers are safe integers of JSON; int32 or int64 would be a rule of one programming language.",
	"owasp:api4:2023-string-restricted":
		"Names and remarks are free text: trimmed, bounded, without NUL and lone surrogates, which no format says.",
	"owasp:api4:2023-rate-limit":
		"RateLimit headers come with 429 alone: on a success they would tell a guesser how many attempts are left.",
	"owasp:api5:2023-admin-security-unique":
		"Roles decide who administers, not the kind of token: every route has a guard, and test/matrix/table.ts lists who passes it.",
	"owasp:api8:2023-define-cors-origin":
		"There is no CORS: browsers call the service from its own pages only, so no answer has Access-Control-Allow-Origin.",
	"owasp:api8:2023-define-error-responses-401":
		"Public operations authenticate nobody and never answer 401; the others have it.",
	"owasp:api8:2023-define-error-responses-500":
		"500, and 413, 426 and 503 where an operation adds nothing to them, are the `default` response of every operation.",
	"owasp:api8:2023-define-error-validation":
		"Operations without body, query and closed names cannot be sent anything invalid.",
	"owasp:api9:2023-inventory-access":
		"x-internal names the audience of servers in a catalogue; an installation describes itself and nothing else.",
};

const inRequests = (condition: string): string => `$.paths[*][*].requestBody..[?(@ && ${condition})]`;

/**
 * Rules that hold for what callers send: what the service writes itself needs no limit against exhaustion. A UUID has 36
 * characters, and a list of different values of an `enum` no more than that has.
 */
export const REQUEST_RULES: Readonly<Record<string, string>> = {
	"owasp:api4:2023-array-limit": inRequests('@.type=="array" && !(@.uniqueItems && @.items.enum)'),
	"owasp:api4:2023-string-limit": inRequests('@.type=="string" && @.format!="uuid"'),
	"owasp:api4:2023-integer-limit": inRequests('@.type=="integer"'),
};
