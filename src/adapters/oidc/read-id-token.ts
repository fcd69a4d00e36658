// Reads an ID token that an application sends back to say whom it signed in (`id_token_hint`).

import type Provider from "oidc-provider";
import type { IdTokenHint } from "../../domain/openid-provider.ts";
import { isMembers, parseJson } from "../../kernel/shape.ts";
import type { PrivateKeyJwk } from "./parts.ts";

interface Unproved {
	readonly keyId: unknown;
	readonly algorithm: unknown;
	readonly audience: unknown;
}

/**
 * @returns undefined for what is not one of this service. A session outlives the key that signed its ID token, which then
 * says no more than which application sent it.
 */
export async function readIdToken(
	{ IdToken }: Provider,
	keys: readonly PrivateKeyJwk[],
	idToken: string,
): Promise<IdTokenHint | undefined> {
	const { keyId, algorithm, audience: clientId } = unprovedPartsOf(idToken) ?? {};
	if (typeof keyId !== "string" || typeof clientId !== "string") return undefined;
	const key = keys.find(({ kid }) => kid === keyId);
	if (key === undefined) return { clientId, proved: undefined };
	if (key.alg !== algorithm) return undefined;
	const proved = await IdToken.validate(idToken, { clientId, idTokenSignedResponseAlg: key.alg }).catch(
		// Why a token is refused is told to nobody.
		() => undefined,
	);
	const { sub: userId, sid: sessionId } = proved?.payload ?? {};
	return typeof userId === "string" && typeof sessionId === "string"
		? { clientId, proved: { userId, sessionId } }
		: undefined;
}

function unprovedPartsOf(idToken: string): Unproved | undefined {
	try {
		const [header, payload] = idToken
			.split(".")
			.slice(0, 2)
			.map((part) => parseJson(isMembers, Buffer.from(part, "base64url").toString()));
		return { keyId: header?.kid, algorithm: header?.alg, audience: payload?.aud };
	} catch {
		return undefined;
	}
}
