// Keyed digests, with keys derived from the root key of the installation.

import type { KeyDerivation } from "../../../crypto/derived-keys.ts";
import { codeDigest, refreshSuccessor } from "../../../crypto/digest.ts";
import { NamedTokens } from "../../../crypto/named-token.ts";
import type { KeyedDigests } from "../../../domain/keyed-digests.ts";
import { canonicalLogin } from "../../../kernel/email-address.ts";

/** Derives one key per kind of digest, in advance. */
export function createAuthKeys(derivation: KeyDerivation): KeyedDigests {
	const codeKey = derivation.deriveKey("mailed-code");
	const nameKey = derivation.deriveKey("sign-in-name");
	const deviceKey = derivation.deriveKey("known-device");
	const oauthKey = derivation.deriveKey("oauth-refresh-token");
	const userCodeKey = derivation.deriveKey("device-user-code");
	return {
		codeDigest: ({ tenantId, purpose, address }, code) =>
			codeDigest(codeKey, `${purpose} ${tenantId}`, address, code),
		nameSubject: (tenantId, name) => `name:${codeDigest(nameKey, tenantId, "name", canonicalLogin(name))}`,
		deviceDigest: (userId, device, network) =>
			codeDigest(deviceKey, "device", userId, `${device} ${network}`),
		userCodeDigest: (userCode) => codeDigest(userCodeKey, "device", "user_code", userCode),
		refreshTokens: new NamedTokens(derivation.deriveKey("refresh-token")),
		gateTokens: new NamedTokens(derivation.deriveKey("gate-session")),
		oauthSuccessor: (refreshToken) => refreshSuccessor(oauthKey, refreshToken),
	};
}
