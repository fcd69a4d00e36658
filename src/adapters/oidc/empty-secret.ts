// Public clients that send their id by HTTP Basic.

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
