// Keyed digests that are stored instead of values, and the secret from which every node derives their keys.

import type { EmailCodeKey } from "./mailed-code.ts";

/** A token of a session in one of its generations, with the secret that all tokens of the session contain. */
export interface SessionToken {
	readonly id: string;
	readonly generation: number;
	readonly secret: string;
}

/** Writes and reads the tokens of sessions under one key. */
export interface SessionTokens<Context extends unknown[] = []> {
	write(token: SessionToken, ...context: Context): string;
	/** Undefined for a text that the service did not write for the context. */
	read(text: string, ...context: Context): SessionToken | undefined;
}

/** Identical on every node, and after a change of the master key. */
export interface KeyedDigests {
	/** The stored form of a mailed code, bound to tenant, purpose, and address. */
	codeDigest(key: EmailCodeKey, code: string): string;
	/** The stored form of a name typed at sign-in. Users also type passwords there, so it must not be guessable. */
	nameSubject(tenantId: string, name: string): string;
	/** The stored form of a device that a user signed in with. */
	deviceDigest(userId: string, device: string, network: string): string;
	/** The stored form of the code that a user types for a device. */
	userCodeDigest(userCode: string): string;
	readonly refreshTokens: SessionTokens;
	/** The tokens of browsers for sessions at applications behind a gate, each of which belongs to a session at this service. */
	readonly gateTokens: SessionTokens<[signInId: string]>;
	/** The successor of this refresh token of an OAuth client. */
	oauthSuccessor(refreshToken: string): string;
}

/** Associated data of the sealed derivation root. */
export function derivationRootContext(id: string): string {
	return `derivation_root:${id}`;
}

/** The installation's only root secret for keyed digests. */
export interface DerivationRootStore {
	find(id: string): Promise<string | undefined>;
	/** Does nothing if one exists: of nodes that start concurrently, one writes it. */
	insertOnce(id: string, rootSealed: string, nowMs: number): Promise<void>;
}
