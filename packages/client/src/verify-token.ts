// Verifies access tokens for an API (RFC 9068), and the proof of bound ones (RFC 9449).

import type { JWTPayload } from "jose";
import { requireAll } from "./origins.ts";
import { permits } from "./permits.ts";

/** The claims of a token, by their wire names. */
export interface AccessToken extends JWTPayload {
	/** The user, or the `client_id` of a service. */
	sub: string;
	client_id: string;
	tenant_id: string;
	/** Separated by spaces. */
	scope?: string;
	/** The user's permissions in this API, if the scope `roles` was requested. Use `permissionsOf`. */
	permissions?: string[];
	roles?: string[];
	groups?: string[];
	acr?: string;
	/** The client that acts for the user (RFC 8693). */
	act?: { sub: string };
	/** The key to which the token is bound. */
	cnf?: { jkt?: string };
}

export interface VerifierOptions {
	/** The public URL of the service. */
	readonly issuer: string;
	/** The `resource` of this API. */
	readonly resource: string;
	/** All tenants share the issuer and its keys. */
	readonly tenantId: string;
	/**
	 * Accepts tokens that are bound to a key. Stores the id of a proof until `expiresAt`; returns false if the id is
	 * stored already. All processes of the API must share the store, or a proof works once in each.
	 */
	readonly dpop?: { claim(proofId: string, expiresAt: Date): boolean | Promise<boolean> };
}

/** What a request with `Authorization: DPoP` contains. */
export interface Proof {
	/** The header `DPoP`. */
	readonly dpop: string;
	readonly method: string;
	/** The URL that the client sees. */
	readonly url: string;
}

/** The token or its proof is not valid: respond with 401. */
export class TokenError extends Error {
	override readonly name = "TokenError";
	readonly code = "token.invalid";
}

/** The algorithms that the service accepts. */
const PROOF_ALGORITHMS = ["ES256", "Ed25519", "EdDSA"];
/** Tolerance for clocks that differ. */
const PROOF_AGE_SECONDS = 300;
/** Errors of jose that concern the keys of the service, not the token. */
const KEY_ERRORS = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"]);

type Jose = typeof import("jose");

/** Loaded with the first token: it is an optional package. */
async function loadJose(): Promise<Jose> {
	return import("jose").catch((cause) => {
		throw new Error("@latchkey/client/verify needs the package jose: npm install jose", { cause });
	});
}

/**
 * @returns a function that verifies a token. It throws TokenError if the token is not valid; any other error means that
 * the keys of the service could not be read, and is a 503.
 */
export function createVerifier({ issuer, resource, tenantId, dpop }: VerifierOptions) {
	requireAll({ issuer, resource, tenantId });
	let keys: ReturnType<Jose["createRemoteJWKSet"]> | undefined;
	const rules = {
		issuer,
		audience: resource,
		typ: "at+jwt",
		algorithms: ["ES256"],
		requiredClaims: ["sub", "client_id", "tenant_id", "exp"],
	};
	return async (token: string, proof?: Proof): Promise<AccessToken> => {
		const jose = await loadJose();
		keys ??= jose.createRemoteJWKSet(new URL("/.well-known/jwks.json", issuer));
		try {
			const { payload } = await jose.jwtVerify<AccessToken>(token, keys, rules);
			if (payload.tenant_id !== tenantId) throw new TokenError("the token is for another tenant");
			if (payload.cnf !== undefined || proof !== undefined) await verifyProof(jose, payload, token, proof);
			return payload;
		} catch (error) {
			if (!(error instanceof jose.errors.JOSEError) || KEY_ERRORS.has(error.code)) throw error;
			throw new TokenError(error.message, { cause: error });
		}
	};

	/** A bound token without its proof is refused: a thief could use it. */
	async function verifyProof(
		{ calculateJwkThumbprint, EmbeddedJWK, jwtVerify }: Jose,
		{ cnf }: AccessToken,
		token: string,
		proof: Proof | undefined,
	): Promise<void> {
		if (cnf?.jkt === undefined)
			throw new TokenError("the token is not bound to a key, so a DPoP proof is no evidence");
		if (dpop === undefined || proof === undefined) throw new TokenError("the token requires a DPoP proof");
		const { payload, protectedHeader } = await jwtVerify(proof.dpop, EmbeddedJWK, {
			typ: "dpop+jwt",
			algorithms: PROOF_ALGORITHMS,
			maxTokenAge: PROOF_AGE_SECONDS,
			clockTolerance: PROOF_AGE_SECONDS,
			requiredClaims: ["jti", "htm", "htu", "ath"],
		}).catch((cause: Error) => {
			// Also a DOMException or TypeError: the proof contains its key, which may be broken.
			throw new TokenError(cause.message, { cause });
		});
		const { jti, htm, htu, ath, iat = 0 } = payload as JWTPayload & Record<string, unknown>;
		const isOfRequest =
			typeof jti === "string" &&
			htm === proof.method &&
			withoutQuery(String(htu)) === withoutQuery(proof.url) &&
			ath === (await sha256(token)) &&
			(await calculateJwkThumbprint(protectedHeader.jwk ?? {})) === cnf.jkt;
		if (!isOfRequest) throw new TokenError("the DPoP proof belongs to another request, token, or key");
		const expiresAt = new Date((iat + 2 * PROOF_AGE_SECONDS) * 1000);
		if (!(await dpop.claim(`${cnf.jkt} ${jti}`, expiresAt)))
			throw new TokenError("the DPoP proof was used already");
	}
}

/**
 * What the token permits in this API: compare with `permits`. The scopes of the token limit the permissions of its user.
 * Without the claim `permissions`, they are the permissions, because the service issues only scopes that the user holds.
 */
export function permissionsOf({ sub, client_id, permissions, scope }: AccessToken): readonly string[] {
	const scopes = scope?.split(" ");
	if (permissions === undefined) return scopes ?? [];
	// Only a service has permissions without a scope.
	if (scopes === undefined) return sub === client_id ? permissions : [];
	return scopes.filter((name) => permits(permissions, name));
}

/** RFC 9449, section 4.3: compared without query and fragment. */
function withoutQuery(url: string): string {
	if (!URL.canParse(url)) return url;
	const { origin, pathname } = new URL(url);
	return origin + pathname;
}

async function sha256(text: string): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
	return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
