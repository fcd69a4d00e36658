// Where frameworks read another method or another path than those of the request line. Pure functions.

/**
 * Headers from which frameworks take the method of a POST (Rails, Laravel, Symfony, Express, Spring) or the path (IIS, older
 * PHP frameworks). In lower case.
 */
export const OVERRIDE_HEADERS: readonly string[] = [
	"x-http-method-override",
	"x-http-method",
	"x-method-override",
	"x-original-url",
	"x-rewrite-url",
];

/** CGI, WSGI, and Rack read `_` as `-`. */
const OVERRIDE = /^x[-_](?:http[-_]method(?:[-_]override)?|method[-_]override|(?:original|rewrite)[-_]url)$/i;

export function isOverrideHeader(name: string): boolean {
	return OVERRIDE.test(name);
}

/** Parameters of the query with which frameworks override the method, `-` in place of `_`. */
const PARAMETERS: readonly string[] = [
	"-method",
	"x-http-method-override",
	"x-http-method",
	"x-method-override",
];

/** The methods for which the query of a POST asks, in upper case. */
export function methodsInQuery(target: string): readonly string[] {
	const start = target.indexOf("?");
	if (start === -1 || !/method|%/i.test(target.slice(start))) return [];
	// Some servers also separate parameters by semicolons.
	return target
		.slice(start + 1)
		.split(/[&;]/)
		.flatMap((pair) => [...new URLSearchParams(pair)])
		.filter(([name, value]) => PARAMETERS.includes(parameterName(name)) && value !== "")
		.map(([, value]) => value.trim().toUpperCase());
}

/**
 * PHP drops leading spaces, reads `.` and spaces as `_`, and ends a name at a null byte. Parsers of nested parameters end it
 * at a bracket.
 */
function parameterName(name: string): string {
	const [own = ""] = name
		.trimStart()
		.replace(/^\[/, "")
		.split(/[[\]\0]/, 1);
	return own.toLowerCase().replaceAll(/[_. ]/g, "-");
}
