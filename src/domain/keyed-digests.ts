// Digests stored instead of values, with keys that every node derives from the root of the installation.

import type { EmailCodeKey } from "./mailed-code.ts";

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
	/** The successor of this refresh token. */
	refreshSuccessor(refreshToken: string): string;
	/** The same for a refresh token of an OAuth client. */
	oauthSuccessor(refreshToken: string): string;
}
