// Token introspection without the library, for the usual request: a client with a secret, and one token in a form.

import { hasSecret, liveSecretDigests, type PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { ProviderRequest, ProviderResponse } from "../../domain/openid-provider.ts";
import { describeSigned, describeStored, INACTIVE } from "./describe-token.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";

const FORM = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;
/** Id and secret without a character that is written in several ways. */
const CREDENTIALS = /^([0-9a-f-]{36}):([\w-]+)$/;
const FIELD = /^(token|token_type_hint|client_id|client_secret)=([\w.-]+)$/;
const FIELDS_MAX = 4;
const BODY_MAX = 16 * 1024;

/** What the library adds to each response of this endpoint. */
const HEADERS = {
	vary: "Origin",
	"access-control-allow-origin": "*",
	"access-control-expose-headers": "WWW-Authenticate",
	"cache-control": "no-store",
	"content-type": "application/json; charset=utf-8",
};

interface Asked {
	readonly clientId: string;
	readonly secret: string;
	readonly token: string;
}

/**
 * Undefined unless the client authenticates with its secret and asks about one token: the library responds then, to other
 * kinds of authentication and with every error.
 *
 * @throws AppError `request.too_many`, after which the client is counted
 */
export async function introspect(
	parts: ProviderParts,
	records: Records,
	request: ProviderRequest,
): Promise<ProviderResponse | undefined> {
	const asked = askedIn(request);
	const client = asked && (await authenticate(parts, asked));
	if (asked === undefined || client === undefined) return undefined;
	await request.countClient(client.applicationId);
	// As before each request to the library: a removed key verifies nothing.
	await parts.keys();
	const { token } = asked;
	const said = token.includes(".")
		? await describeSigned(parts, client, token)
		: await describeStored(parts, records, client, token);
	return {
		status: 200,
		headers: HEADERS,
		body: JSON.stringify(said ?? INACTIVE),
		refusal: undefined,
		clientId: client.applicationId,
	};
}

function askedIn({ method, target, headers, body }: ProviderRequest): Asked | undefined {
	const { "content-type": type = "", authorization, origin } = headers;
	if (method !== "POST" || target !== "/oauth/introspect" || origin !== undefined) return undefined;
	const fields = FORM.test(type) && body.length <= BODY_MAX ? fieldsIn(body.toString("latin1")) : undefined;
	const token = fields?.get("token");
	if (fields === undefined || token === undefined) return undefined;
	const sent = [fields.get("client_id"), fields.get("client_secret")];
	const [clientId, secret] = authorization === undefined ? sent : credentialsIn(authorization);
	const isTwice = authorization !== undefined && sent.some((value) => value !== undefined);
	return isTwice || clientId === undefined || secret === undefined ? undefined : { clientId, secret, token };
}

/** Undefined if a field is unknown, repeated, or has an escape. */
function fieldsIn(form: string): ReadonlyMap<string, string> | undefined {
	const fields = new Map<string, string>();
	const parts = form.split("&", FIELDS_MAX + 1);
	for (const part of parts) {
		const [, name = "", value = ""] = FIELD.exec(part) ?? [];
		fields.set(name, value);
	}
	return fields.size === parts.length && !fields.has("") ? fields : undefined;
}

function credentialsIn(authorization: string): readonly (string | undefined)[] {
	const [, encoded = ""] = BASIC.exec(authorization) ?? [];
	const text = Buffer.from(encoded, "base64").toString("latin1");
	const isExact = Buffer.from(text, "latin1").toString("base64") === encoded;
	return isExact ? (CREDENTIALS.exec(text)?.slice(1) ?? []) : [];
}

/** A program has no secret, and names itself by its URL. */
async function authenticate(
	{ db, clock, matchesDigest }: ProviderParts,
	{ clientId, secret }: Asked,
): Promise<PresentedOAuthClient | undefined> {
	const client = await db.stores.oauthClients.findPresented(clientId);
	if (client === undefined || !hasSecret(client.authMethod)) return undefined;
	const { kind, status } = client.application;
	if (kind === "program" || status !== "active") return undefined;
	return matchesDigest(secret, liveSecretDigests(client, clock())) ? client : undefined;
}
