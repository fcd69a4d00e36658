// Access tokens: JWTs (RFC 9068, `at+jwt`) signed with ES256. Verification trusts nothing in the token but its key id.

import { decodeProtectedHeader } from "jose/decode/protected_header";
import * as errors from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import { AppError, type RefusalReason } from "../kernel/error.ts";
import { newId } from "../kernel/id.ts";
import { RecentMap } from "../kernel/recent-map.ts";
import {
	type AccessTokenClaims,
	type AccessTokenSubject,
	claimsFor,
	parseClaims,
} from "./access-token-claims.ts";
import { isCompactJws } from "./compact-jws.ts";
import { tokenDigest } from "./digest.ts";
import { ALGORITHM, type JwkSet, jwkSet, ReadyKeys, type SigningKey } from "./signing-key.ts";

/** Keys that change while the service runs. */
export interface KeySource<K = SigningKey> {
	/** The first signs, all verify. Read on every use; returns the same objects until they change. */
	current(): readonly K[];
	/** Called before each signature. Returns a promise if `current` must be reloaded first. */
	freshen(): Promise<void> | undefined;
	/** Called for a key id missing from `current`; once it resolves, look up the key again. */
	seek(kid: string): Promise<void>;
}

export interface AccessTokensOptions {
	/** `iss`, and the first `aud`. */
	readonly issuer: string;
	/** Fixed keys, the first of which signs, or a source of keys. A token becomes invalid once its key is removed. */
	readonly keys: readonly SigningKey[] | KeySource;
	readonly clock: Clock;
	/** Default 900. */
	readonly ttlSeconds?: number;
	/** Maximum number of verified tokens in memory; default 100,000. */
	readonly cacheSize?: number;
	/** Their approximate maximum memory; default 64 MiB. */
	readonly cacheBytes?: number;
}

export interface AccessTokens {
	issue(subject: AccessTokenSubject): Promise<{ readonly token: string; readonly expiresAtMs: number }>;
	/**
	 * Verifies a token: signature, type, issuer, audience, expiry (no leeway). The caller checks whether its session is
	 * still open. A cached token returns or throws synchronously, without a promise.
	 *
	 * @throws AppError `token.invalid`, one message for every reason.
	 */
	verify(token: string): AccessTokenClaims | Promise<AccessTokenClaims>;
	/** The public keys, the signing one first. */
	jwks(): JwkSet;
}

interface VerifiedToken {
	readonly kid: string;
	readonly claims: AccessTokenClaims;
	/** The approximate memory of this entry. */
	readonly bytes: number;
}

const TYPE = "at+jwt";
const MAX_TOKEN_LENGTH = 8_192;
const TTL_SECONDS = 900;
const CACHE_SIZE = 100_000;
const CACHE_BYTES = 64 * 1024 ** 2;
/** In addition to the texts of the claims, which are about half as long as the token. */
const ENTRY_BYTES = 300;

/** Verifying a token takes 160 µs, more than the rest of a request; a cache hit takes 1 µs, most of it the digest. */
export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
	const { issuer, clock, ttlSeconds = TTL_SECONDS } = options;
	const source = "current" in options.keys ? options.keys : fixedKeys(options.keys);
	const ready = new ReadyKeys();
	const { cacheSize = CACHE_SIZE, cacheBytes = CACHE_BYTES } = options;
	// Keyed by a digest of the whole token: part of it could return another user's claims, and the token itself would take
	// as much memory as its claims.
	const seen = new RecentMap<VerifiedToken>(cacheSize, { max: cacheBytes, of: ({ bytes }) => bytes });
	const findKey = (kid: string) => source.current().find((key) => key.kid === kid);

	async function findOrSeek(kid: string): Promise<SigningKey | undefined> {
		const known = findKey(kid);
		if (known !== undefined) return known;
		await source.seek(kid);
		return findKey(kid);
	}

	function keep(token: string, kid: string, claims: AccessTokenClaims): void {
		seen.set(tokenDigest(token), { kid, claims, bytes: ENTRY_BYTES + token.length / 2 });
	}

	async function verifyUnseen(token: string): Promise<AccessTokenClaims> {
		const key = await findOrSeek(keyIdOf(token));
		if (key === undefined) throw invalidToken("unknown key");
		// Outside the try block below: a stored key that does not load is an internal error, not an error of the caller.
		const publicKey = await ready.verifying(key);
		const claims = await proveToken(token, publicKey, { issuer, currentDate: new Date(clock()) });
		keep(token, key.kid, claims);
		return claims;
	}

	return {
		async issue(subject) {
			await source.freshen();
			const [key] = source.current();
			if (key === undefined) throw new Error("there is no key to sign access tokens with");
			const nowMs = clock();
			const claims = claimsFor(subject, { issuer, id: newId(nowMs), nowMs, ttlSeconds });
			const token = await new SignJWT({ ...claims, aud: [...claims.aud] })
				.setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
				.sign(await ready.signing(key));
			keep(token, key.kid, claims);
			return { token, expiresAtMs: claims.exp * SECOND_MS };
		},
		verify(token) {
			if (token.length > MAX_TOKEN_LENGTH) throw invalidToken("malformed");
			const digest = tokenDigest(token);
			const known = seen.find(digest);
			if (known === undefined) return verifyUnseen(token);
			if (clock() < known.claims.exp * SECOND_MS && findKey(known.kid) !== undefined) return known.claims;
			seen.delete(digest);
			throw invalidToken("expired, or its key was removed", "token.expired");
		},
		jwks: () => jwkSet(source.current()),
	};
}

function fixedKeys(keys: readonly SigningKey[]): KeySource {
	return { current: () => keys, freshen: () => undefined, seek: () => Promise.resolve() };
}

/**
 * The key id of a header with exactly the three members that Latchkey writes: no `crit`, key, or URL from the client.
 */
function keyIdOf(token: string): string {
	if (!isCompactJws(token)) throw invalidToken("malformed");
	try {
		const { alg, typ, kid, ...others } = decodeProtectedHeader(token);
		if (alg === ALGORITHM && typ === TYPE && typeof kid === "string" && Object.keys(others).length === 0)
			return kid;
	} catch {
		throw invalidToken("malformed");
	}
	throw invalidToken("header was not written by this service");
}

async function proveToken(
	token: string,
	key: Parameters<typeof jwtVerify>[1],
	expected: { readonly issuer: string; readonly currentDate: Date },
): Promise<AccessTokenClaims> {
	let claims: AccessTokenClaims | undefined;
	try {
		const { payload } = await jwtVerify(token, key, {
			algorithms: [ALGORITHM],
			typ: TYPE,
			issuer: expected.issuer,
			audience: expected.issuer,
			currentDate: expected.currentDate,
		});
		claims = parseClaims(payload);
	} catch (error) {
		const reason = error instanceof errors.JWTExpired ? "token.expired" : "token.unverified";
		throw invalidToken(error instanceof errors.JOSEError ? error.code : "malformed", reason);
	}
	if (claims === undefined) throw invalidToken("a claim is missing");
	// Parsers differ on duplicate names.
	if (!token.split(".", 2).every(isPlainJson)) throw invalidToken("not in the form that this service writes");
	return claims;
}

/** Whether a part is JSON exactly as `JSON.stringify` writes it, as in every issued token. */
function isPlainJson(part: string): boolean {
	const text = Buffer.from(part, "base64url").toString("utf8");
	try {
		return JSON.stringify(JSON.parse(text)) === text;
	} catch {
		// A byte order mark, which other parsers accept.
		return false;
	}
}

/** `reason` is logged with the request id; the response reveals only that the token is invalid. */
function invalidToken(cause: string, reason: RefusalReason = "token.unverified"): AppError {
	return new AppError("token.invalid", "access token is invalid or expired", { cause, reason });
}
