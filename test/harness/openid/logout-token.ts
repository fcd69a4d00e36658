// Verifies logout tokens as a relying party does (OpenID Connect Back-Channel Logout 1.0, section 2.6).

import assert from "node:assert/strict";
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from "jose";
import type { TestService } from "../service/service.ts";
import type { ReceivedWebhook } from "../webhooks/webhook-receiver.ts";
import { fetchFrom, ISSUER } from "./openid.ts";

/** The form must contain only the logout token. */
export async function verifyLogoutToken(
	service: TestService,
	{ body, headers }: ReceivedWebhook,
	clientId: string,
): Promise<JWTPayload> {
	assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
	const form = new URLSearchParams(body);
	assert.deepEqual([...form.keys()], ["logout_token"]);
	const get = fetchFrom(service);
	const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`), {
		[customFetch]: (url: string) => get(url),
	});
	const { payload } = await jwtVerify(form.get("logout_token") ?? "", keys, {
		issuer: ISSUER,
		audience: clientId,
		typ: "logout+jwt",
		requiredClaims: ["iat", "exp", "jti", "sub", "sid", "events"],
		currentDate: new Date(service.clock.now()),
	});
	return payload;
}
