// What sign-in computes under keys of its own, derived once from the installation's root.

import type { KeyDerivation } from "../../crypto/derived-keys.ts";
import { codeDigest } from "../../crypto/digest.ts";
import { refreshSuccessor } from "../../crypto/refresh-token.ts";
import type { EmailCodeKey, NameSubjects } from "./model.ts";
import type { DeviceDigests } from "./notice-device.ts";

/** The same on every node, and whatever becomes of the master key: the root is stored, sealed. */
export interface AuthKeys extends NameSubjects, DeviceDigests {
	/** What is stored of a mailed code, bound to tenant, purpose and address. */
	codeDigest(key: EmailCodeKey, code: string): string;
	/** What is stored of a name typed at sign-in: people type passwords there, too, so it must not be guessable. */
	nameSubject(tenantId: string, name: string): string;
	/** The refresh token that follows this one. */
	refreshSuccessor(refreshToken: string): string;
}

export function createAuthKeys(derivation: KeyDerivation): AuthKeys {
	const codeKey = derivation.deriveKey("mailed-code");
	const nameKey = derivation.deriveKey("sign-in-name");
	const deviceKey = derivation.deriveKey("known-device");
	const refreshKey = derivation.deriveKey("refresh-token");
	return {
		codeDigest: ({ tenantId, purpose, address }, code) =>
			codeDigest(codeKey, `${purpose} ${tenantId}`, address, code),
		nameSubject: (tenantId, name) => `name:${codeDigest(nameKey, tenantId, "name", name.toLowerCase())}`,
		deviceDigest: (userId, device, network) =>
			codeDigest(deviceKey, "device", userId, `${device} ${network}`),
		refreshSuccessor: (refreshToken) => refreshSuccessor(refreshKey, refreshToken),
	};
}
