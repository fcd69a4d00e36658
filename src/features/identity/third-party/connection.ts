// The connection to an identity provider, with its opened secret.

import type { SecretBox } from "../../../crypto/secret-box.ts";
import { identityProviderContext, type SealedIdentityProvider } from "../../../domain/identity-provider.ts";
import type { ProviderConnection } from "../../../domain/provider-gateway.ts";

export function connectionOf(secretBox: SecretBox, provider: SealedIdentityProvider): ProviderConnection {
	const { id, kind, clientId, issuer, subjectClaim, clientSecretSealed } = provider;
	if (clientId === null) throw new Error("an issuer without the use sign_in has no client");
	const clientSecretPlain = secretBox.open(clientSecretSealed, identityProviderContext(id));
	return { kind, clientId, clientSecretPlain, issuer, subjectClaim };
}
