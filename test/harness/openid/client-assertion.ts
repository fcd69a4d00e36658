// Valid and invalid client assertions (RFC 7523), for tests of `private_key_jwt`.

import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import type { TestService } from "../service/service.ts";
import { type ConnectedClient, ISSUER, postForm } from "./openid.ts";

export interface ClientKey {
	readonly privateKey: CryptoKey;
	readonly publicJwk: JWK;
	readonly alg: string;
}

export async function makeClientKey(alg = "ES256", kid = "one"): Promise<ClientKey> {
	const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
	return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" }, alg };
}

/** The settings of a client that authenticates with one of the keys. */
export function keySettings(...keys: readonly JWK[]) {
	return { authMethod: "private_key_jwt", jwks: { keys: keys.map((key) => ({ ...key })) } } as const;
}

/** A valid assertion with `changes`; undefined omits a member. */
export function assertionOf(
	{ id }: ConnectedClient,
	{ privateKey, publicJwk, alg }: ClientKey,
	changes: JWTPayload = {},
): Promise<string> {
	const { kid } = publicJwk;
	const header = { alg, ...(kid === undefined ? {} : { kid }) };
	return new SignJWT(claimsFor(id, changes)).setProtectedHeader(header).sign(privateKey);
}

export function claimsFor(clientId: string, changes: JWTPayload = {}): JWTPayload {
	const now = Math.floor(Date.now() / 1_000);
	const good = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), iat: now, exp: now + 60 };
	return JSON.parse(JSON.stringify({ ...good, ...changes })) as JWTPayload;
}

export interface TokenResponse {
	readonly status: number;
	readonly body: { readonly access_token?: string; readonly error?: string };
}

/** Requests a service token for `resource`; further parameters extend or override the usual ones. */
export async function sendAssertion(
	service: TestService,
	assertion: string,
	parameters: Readonly<Record<string, string>>,
	headers: Record<string, string> = {},
): Promise<TokenResponse> {
	const fields = {
		grant_type: "client_credentials",
		client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
		client_assertion: assertion,
		...parameters,
	};
	return await postForm(service, "/oauth/token", fields, headers);
}
