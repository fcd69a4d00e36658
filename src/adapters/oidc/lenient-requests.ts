// Repairs requests of common clients, which the library would refuse.

import type { ProviderRequest } from "../../domain/openid-provider.ts";
import type { ProviderParts } from "./parts.ts";

const EMPTY_SECRET = /^([0-9a-f-]+):$/;

/**
 * Moves the id of a public client from `Authorization: Basic` with an empty secret into the form, where the library
 * expects it (RFC 6749, section 2.3.1: a client may omit an empty secret).
 */
export async function withoutEmptySecret(
	{ db }: Pick<ProviderParts, "db">,
	request: ProviderRequest,
): Promise<ProviderRequest> {
	const { authorization = "", ...headers } = request.headers;
	const [scheme = "", encoded = ""] = authorization.split(" ");
	if (request.method !== "POST" || scheme.toLowerCase() !== "basic") return request;
	const [, id] = EMPTY_SECRET.exec(Buffer.from(encoded, "base64").toString()) ?? [];
	if (id === undefined) return request;
	const form = new URLSearchParams(request.body.toString());
	// The library refuses two different ids.
	if ((form.get("client_id") ?? id) !== id) return request;
	if ((await db.stores.oauthClients.findPresented(id))?.authMethod !== "none") return request;
	form.set("client_id", id);
	return { ...request, headers, body: Buffer.from(form.toString()) };
}

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
