// The Spectral OWASP rules of `npm run lint:api`: which are ignored, which apply only to requests, and why.

/** Disabled rules, with the reason. */
export const IGNORED_RULES: Readonly<Record<string, string>> = {
	"owasp:api2:2023-read-restricted":
		"Public by design: health, keys, metadata and sign-in pages. test/matrix/table.ts lists who may call each route.",
	"owasp:api2:2023-no-http-basic":
		"RFC 6749, section 2.3.1: an OAuth server must support HTTP Basic for clients with a secret.",
	"owasp:api2:2023-write-restricted":
		"Public by design: registration, sign-in and links in mails; the body contains the credential. test/matrix/table.ts lists who may call each route.",
	"owasp:api4:2023-integer-format":
		"All integers are safe JSON integers; int32 and int64 are types of specific programming languages.",
	"owasp:api4:2023-string-restricted":
		"Names and notes are free text: trimmed, limited in length, without NUL and lone surrogates. No format describes that.",
	"owasp:api4:2023-rate-limit":
		"Only 429 has RateLimit headers: on success, they would reveal the remaining attempts to an attacker.",
	"owasp:api5:2023-admin-security-unique":
		"Roles decide who administers, not the type of token. Every route has a guard; test/matrix/table.ts lists who passes it.",
	"owasp:api8:2023-define-cors-origin":
		"The API does not support CORS: browsers call it only from the pages of the service. Only `/.well-known` and some OAuth endpoints have the header.",
	"owasp:api8:2023-define-error-responses-401":
		"Public operations do not authenticate and never return 401; most others declare it in their `default` response.",
	"owasp:api8:2023-define-error-responses-500":
		"Every operation declares 500 as its `default` response, and so the other statuses that depend on the kind of request only.",
	"owasp:api8:2023-define-error-validation":
		"Operations without a body, query or enumerated path parameter cannot receive invalid input.",
	"owasp:api9:2023-inventory-access":
		"x-internal declares the audience of servers in a catalog; an installation describes only itself.",
};

const inRequests = (condition: string): string => `$.paths[*][*].requestBody..[?(@ && ${condition})]`;

/**
 * Rules that apply only to requests: responses need no limits against resource exhaustion. UUIDs and lists of unique
 * `enum` values are already limited.
 */
export const REQUEST_RULES: Readonly<Record<string, string>> = {
	"owasp:api4:2023-array-limit": inRequests('@.type=="array" && !(@.uniqueItems && @.items.enum)'),
	"owasp:api4:2023-string-limit": inRequests('@.type=="string" && @.format!="uuid"'),
	"owasp:api4:2023-integer-limit": inRequests('@.type=="integer"'),
};
