// Reads an ID token that an application sends to identify its session (`id_token_hint`).

import type Provider from "oidc-provider";
import type { IdTokenHint } from "../../domain/openid-provider.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { isMembers, parseJson } from "../../kernel/shape.ts";
import type { PrivateKeyJwk } from "./parts.ts";

/**
 * @returns undefined unless it is an ID token of this service. A session can outlive the key that signed its ID token;
 * such a token only names the application.
 */
export async function readIdToken(
	{ IdToken }: Provider,
	keys: readonly PrivateKeyJwk[],
	idToken: string,
): Promise<IdTokenHint | undefined> {
	const { keyId, algorithm, audience: clientId } = unverifiedPartsOf(idToken) ?? {};
	if (typeof keyId !== "string" || typeof clientId !== "string") return undefined;
	const key = keys.find(({ kid }) => kid === keyId);
	if (key === undefined) return { clientId, proved: undefined };
	if (key.alg !== algorithm) return undefined;
	const proved = await IdToken.validate(idToken, { clientId, idTokenSignedResponseAlg: key.alg }).catch(
		// The reason is not revealed.
		() => undefined,
	);
	const { sub: userId, sid: sessionId, exp } = proved?.payload ?? {};
	return typeof userId === "string" && typeof sessionId === "string"
		? { clientId, proved: { userId, sessionId, expiresAtMs: Number(exp) * SECOND_MS } }
		: undefined;
}

function unverifiedPartsOf(idToken: string) {
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
