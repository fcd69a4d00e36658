// Validates what an issuer is trusted for, and the fields that each use needs.

import { readClientKeys } from "../../../crypto/client-jwks.ts";
import {
	type IdentityProvider,
	ISSUER_KEYS_MAX,
	ISSUER_KEYS_MAX_BYTES,
	isTrustedFor,
} from "../../../domain/identity-provider.ts";
import type { ClientJwks } from "../../../domain/oauth-client.ts";
import { parseCalledUrl, type UrlRule } from "../../../kernel/called-url.ts";
import { invalidEntries, invalidField } from "../../../kernel/error.ts";

type Trust = Pick<IdentityProvider, "uses" | "clientId" | "jwksUri" | "jwks" | "audience">;
type Given = Trust & Pick<IdentityProvider, "kind" | "signUp"> & { readonly hasSecret: boolean };

/** @throws AppError `request.invalid`, naming the field that a use needs or does not have. */
export function parseTrust(given: Given, { isWebhookAddress }: UrlRule): Trust {
	const { kind, uses, clientId, jwksUri, jwks, audience, hasSecret } = given;
	if (isTrustedFor(given, "sign_in")) {
		if (clientId === null) throw invalidField("client_id", "required_for_use", { use: "sign_in" });
		if (!hasSecret) throw invalidField("client_secret", "required_for_use", { use: "sign_in" });
	}
	if (!isTrustedFor(given, "workloads")) {
		for (const [field, value] of Object.entries({ jwks_uri: jwksUri, jwks, audience }))
			if (value !== null) throw invalidField(field, "absent_without_use", { use: "workloads" });
		return { uses, clientId, jwksUri, jwks, audience };
	}
	// Tokens of workloads name their issuer, which the other kinds have fixed for sign-in.
	if (kind !== "oidc") throw invalidField("uses", "sign_in_only", { kind });
	if (jwks !== null && jwksUri !== null) throw invalidField("jwks_uri", "absent_with_jwks");
	return {
		uses,
		clientId,
		jwksUri: parseCalledUrl("jwks_uri", jwksUri, isWebhookAddress),
		jwks: jwks && parseKeys(jwks),
		audience,
	};
}

function parseKeys({ keys: given }: ClientJwks): ClientJwks {
	if (given.length === 0 || given.length > ISSUER_KEYS_MAX)
		throw invalidField("jwks.keys", "keys_count", { max: ISSUER_KEYS_MAX });
	if (Buffer.byteLength(JSON.stringify(given)) > ISSUER_KEYS_MAX_BYTES)
		throw invalidField("jwks", "bytes_max", { max: ISSUER_KEYS_MAX_BYTES });
	const { keys, problems } = readClientKeys(given);
	if (problems.length > 0) throw invalidEntries("jwks.keys", problems);
	return { keys };
}
