// The Spectral OWASP rules of `npm run lint:api`: which are ignored, which apply only to requests, and why.

/** Disabled rules, with the reason. */
export const IGNORED_RULES: Readonly<Record<string, string>> = {
	"owasp:api2:2023-read-restricted":
		"Public by design: health, keys, metadata and sign-in pages. test/matrix/table.ts lists who may call each route.",
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
		"CORS is not supported: browsers call the service only from its own pages, so no response has Access-Control-Allow-Origin.",
	"owasp:api8:2023-define-error-responses-401":
		"Public operations do not authenticate and never return 401; all others declare it.",
	"owasp:api8:2023-define-error-responses-500":
		"Every operation declares 500 as its `default` response, and so 413, 426 and 503 unless it adds details.",
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
