// The OpenID provider with its parts, loaded at the first request after an application was connected: it takes 20 MiB.

import type { PrivateKeyJwk } from "../adapters/oidc/parts.ts";
import type { KeySource } from "../crypto/access-token.ts";
import { readClientKey } from "../crypto/client-jwks.ts";
import { matchesDigest, sha256Base64url, tokenDigest } from "../crypto/digest.ts";
import { createLogoutTokens } from "../crypto/logout-token.ts";
import { randomToken } from "../crypto/random.ts";
import { RSA_ALGORITHMS, type RsaKey } from "../crypto/rsa-key.ts";
import { ALGORITHM, type SigningKey } from "../crypto/signing-key.ts";
import type { ActorRecorder } from "../domain/oauth-actor.ts";
import type { LoadedProvider, OpenIdProvider, OpenIdRules } from "../domain/openid-provider.ts";
import type { Platform } from "../features/platform.ts";
import type { IpAddress } from "../kernel/ip.ts";
import type { IdTokenSigners } from "./id-token-keys.ts";

interface OpenIdOptions
	extends Pick<
		Platform,
		| "publicUrl"
		| "db"
		| "clock"
		| "log"
		| "secretBox"
		| "keys"
		| "readApiToken"
		| "signIns"
		| "statistics"
		| "refusals"
	> {
	readonly signingKeys: KeySource;
	readonly idTokenKeys: IdTokenSigners;
	readonly rules: OpenIdRules;
	readonly isCallable: (ip: IpAddress) => boolean;
	readonly actors: ActorRecorder;
}

export function createOpenId(options: OpenIdOptions): OpenIdProvider {
	const { db } = options;
	let provider: Promise<LoadedProvider> | undefined;
	let isUsed = false;
	const load = (): Promise<LoadedProvider> => {
		provider ??= loadProvider(options);
		return provider;
	};
	return {
		async isUsed() {
			// When an installation gets its first program, it has no client yet.
			isUsed ||= (await db.stores.oauthClients.isAny()) || (await db.stores.tenants.isAnyTakingPrograms());
			return isUsed;
		},
		respond: async (request) => (await load()).respond(request),
		findInteraction: async (id) => (await load()).findInteraction(id),
		finishInteraction: async (id, result) => (await load()).finishInteraction(id, result),
		readIdToken: async (idToken) => (await load()).readIdToken(idToken),
		keepSignOut: async (asked) => (await load()).keepSignOut(asked),
		findSignOut: async (id) => (await load()).findSignOut(id),
		findAskedProgram: async (id) => (await load()).findAskedProgram(id),
		findDevice: async (userCode) => (await load()).findDevice(userCode),
		approveDevice: async (userCode, approval) => (await load()).approveDevice(userCode, approval),
		checkIssuerKeys: async (issuer) => (await load()).checkIssuerKeys(issuer),
		workloadProblem: async (held, token) => (await load()).workloadProblem(held, token),
		denyDevice: async (userCode) => (await load()).denyDevice(userCode),
		signLogoutToken: createLogoutTokens({
			issuer: options.publicUrl,
			clock: options.clock,
			signingKey: (alg) => signingKey(options, alg),
		}),
	};
}

async function loadProvider(options: OpenIdOptions): Promise<LoadedProvider> {
	const { publicUrl, secretBox, keys, signingKeys, idTokenKeys, ...parts } = options;
	const { createOpenIdProvider } = await withoutRuntimeNotice(() => import("../adapters/oidc/provider.ts"));
	return createOpenIdProvider({
		...parts,
		issuer: publicUrl,
		keys: privateKeys(signingKeys, idTokenKeys),
		seal: (plain, context) => secretBox.seal(plain, context),
		open: (sealed, context) => secretBox.open(sealed, context),
		digest: tokenDigest,
		sha256Base64url,
		randomToken,
		userCodeDigest: keys.userCodeDigest,
		successor: keys.oauthSuccessor,
		matchesDigest,
		readKey: readClientKey,
	});
}

/** Suppresses the warning that the library prints at each start about a Node.js release that is not yet LTS. */
async function withoutRuntimeNotice<T>(load: () => Promise<T>): Promise<T> {
	const { warn } = console;
	console.warn = (...texts: unknown[]) => {
		if (!String(texts[0]).includes("Unsupported runtime")) warn(...texts);
	};
	try {
		return await load();
	} finally {
		console.warn = warn;
	}
}

/** The key that signs ID tokens now. */
async function signingKey(
	{ signingKeys, idTokenKeys }: OpenIdOptions,
	alg: string,
): Promise<SigningKey | RsaKey> {
	await signingKeys.freshen();
	const isRsa = RSA_ALGORITHMS.some((known) => known === alg);
	const key = isRsa ? (await idTokenKeys.current()).find((rsa) => rsa.alg === alg) : signingKeys.current()[0];
	if (key === undefined) throw new Error(`there is no key for ${alg}`);
	return key;
}

/**
 * The keys of access tokens also sign ID tokens; the RSA keys sign nothing else. The same array until one changes.
 */
function privateKeys(source: KeySource, rsa: IdTokenSigners): () => Promise<readonly PrivateKeyJwk[]> {
	let known: { readonly from: Signers; readonly jwks: readonly PrivateKeyJwk[] } | undefined;
	return async () => {
		await source.freshen();
		const from = { rsa: await rsa.current(), ec: source.current() };
		if (known?.from.ec !== from.ec || known.from.rsa !== from.rsa) known = { from, jwks: jwksOf(from) };
		return known.jwks;
	};
}

interface Signers {
	readonly ec: readonly SigningKey[];
	readonly rsa: readonly RsaKey[];
}

/** By algorithm, in the order that discovery lists: the first RSA keys are created at the same time. */
function jwksOf({ ec, rsa }: Signers): PrivateKeyJwk[] {
	const byAlgorithm = RSA_ALGORITHMS.flatMap((alg) => rsa.filter((key) => key.alg === alg));
	return [
		...ec.map(({ kid, privateJwk }) => ({ ...privateJwk, kid, alg: ALGORITHM, use: "sig" })),
		...byAlgorithm.map(({ kid, privateJwk }) => ({ ...privateJwk, kid, use: "sig" })),
	];
}
