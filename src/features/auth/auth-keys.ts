// What sign-in computes under keys of its own, derived from the master key once.

import { codeDigest } from "../../crypto/digest.ts";
import { refreshSuccessor } from "../../crypto/refresh-token.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import type { EmailCodeKey, NameSubjects } from "./model.ts";
import type { DeviceDigests } from "./notice-device.ts";

/**
 * All of it dies when another master key becomes the first: mailed codes have to be sent again, counts of failures
 * start anew, and a refresh cut off in that very moment has to sign in again. Sessions live on.
 */
export interface AuthKeys extends NameSubjects, DeviceDigests {
	/** What is stored of a mailed code, bound to tenant, purpose and address. */
	codeDigest(key: EmailCodeKey, code: string): string;
	/** What is stored of a name typed at sign-in: people type passwords there, too, so it must not be guessable. */
	nameSubject(tenantId: string, name: string): string;
	/** The refresh token that follows this one. */
	refreshSuccessor(refreshToken: string): string;
}

export function createAuthKeys(secretBox: SecretBox): AuthKeys {
	const codeKey = secretBox.deriveKey("mailed-code");
	const nameKey = secretBox.deriveKey("sign-in-name");
	const deviceKey = secretBox.deriveKey("known-device");
	const refreshKey = secretBox.deriveKey("refresh-token");
	return {
		codeDigest: ({ tenantId, purpose, address }, code) =>
			codeDigest(codeKey, `${purpose} ${tenantId}`, address, code),
		nameSubject: (tenantId, name) => `name:${codeDigest(nameKey, tenantId, "name", name.toLowerCase())}`,
		deviceDigest: (userId, device, network) =>
			codeDigest(deviceKey, "device", userId, `${device} ${network}`),
		refreshSuccessor: (refreshToken) => refreshSuccessor(refreshKey, refreshToken),
	};
}
