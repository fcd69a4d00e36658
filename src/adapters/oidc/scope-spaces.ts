// Spaces in the scope of a request: clients that join lists send one too many.

import type { ProviderRequest } from "../../domain/openid-provider.ts";

const FORM = "application/x-www-form-urlencoded";
/** A scope that begins or ends with a space, or has two; or a name with an escape. Other requests are not parsed. */
const EXTRA = /(?:^|&)(?:[^=&]*[%+]|scope=(?:[+ ]|%20|[^&]*(?:[+ ]|%20)(?:[+ ]|%20|&|$)))/;

/** Removes spaces at the ends of `scope` and repeated ones, in the query and in a form. */
export function withoutExtraSpaces(request: ProviderRequest): ProviderRequest {
	const [path = "", query = ""] = request.target.split("?", 2);
	const trimmedQuery = trimmed(query);
	const isForm = request.headers["content-type"]?.toLowerCase().startsWith(FORM) ?? false;
	const trimmedForm = isForm ? trimmed(request.body.toString()) : undefined;
	return {
		...request,
		...(trimmedQuery !== undefined && { target: `${path}?${trimmedQuery}` }),
		...(trimmedForm !== undefined && { body: Buffer.from(trimmedForm) }),
	};
}

/** Undefined if nothing changes. The library refuses a repeated `scope`. */
function trimmed(text: string): string | undefined {
	if (!EXTRA.test(text)) return undefined;
	const parameters = new URLSearchParams(text);
	const [scope, ...others] = parameters.getAll("scope");
	if (scope === undefined || others.length > 0) return undefined;
	const joined = scope.split(" ").filter(Boolean).join(" ");
	if (joined === scope) return undefined;
	if (joined === "") parameters.delete("scope");
	else parameters.set("scope", joined);
	return parameters.toString();
}
