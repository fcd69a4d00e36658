// Validates what an issuer is trusted for, and the fields that each use needs.

import { readClientKeys } from "../../../crypto/client-jwks.ts";
import {
	type IdentityProvider,
	ISSUER_KEYS_MAX,
	ISSUER_KEYS_MAX_BYTES,
	isTrustedFor,
	KINDS_WITH_SUBJECT_CLAIM,
} from "../../../domain/identity-provider.ts";
import type { ClientJwks } from "../../../domain/oauth-client.ts";
import { parseCalledUrl, type UrlRule } from "../../../kernel/called-url.ts";
import { invalidEntries, invalidField } from "../../../kernel/error.ts";

type Trust = Pick<
	IdentityProvider,
	"uses" | "clientId" | "jwksUri" | "jwks" | "audience" | "subjectClaim" | "mfaAcr"
>;
type Given = Trust & Pick<IdentityProvider, "kind" | "signUp"> & { readonly hasSecret: boolean };

/** The uses for which this service verifies signatures of the issuer itself. */
const WITH_KEYS = ["workloads", "assertions"] as const;

/** @throws AppError `request.invalid`, naming the field that a use needs or does not have. */
export function parseTrust(given: Given, { isWebhookAddress }: UrlRule): Trust {
	const { kind, uses, clientId, jwksUri, jwks, audience, subjectClaim, mfaAcr, hasSecret } = given;
	if (subjectClaim !== "sub" && !KINDS_WITH_SUBJECT_CLAIM.includes(kind))
		throw invalidField("subject_claim", "sub_for_kind", { kind });
	if (isTrustedFor(given, "sign_in")) {
		if (clientId === null) throw invalidField("client_id", "required_for_use", { use: "sign_in" });
		if (!hasSecret) throw invalidField("client_secret", "required_for_use", { use: "sign_in" });
	}
	if (audience !== null && !isTrustedFor(given, "workloads"))
		throw invalidField("audience", "absent_without_use", { use: "workloads" });
	if (mfaAcr.length > 0 && !isTrustedFor(given, "assertions"))
		throw invalidField("mfa_acr", "absent_without_use", { use: "assertions" });
	if (!WITH_KEYS.some((use) => isTrustedFor(given, use))) {
		for (const [field, value] of Object.entries({ jwks_uri: jwksUri, jwks }))
			if (value !== null) throw invalidField(field, "absent_without_uses", { uses: WITH_KEYS });
		return { uses, clientId, jwksUri, jwks, audience, subjectClaim, mfaAcr };
	}
	// Tokens and assertions name their issuer, which the other kinds have fixed for sign-in.
	if (kind !== "oidc") throw invalidField("uses", "sign_in_only", { kind });
	if (jwks !== null && jwksUri !== null) throw invalidField("jwks_uri", "absent_with_jwks");
	return {
		uses,
		clientId,
		jwksUri: parseCalledUrl("jwks_uri", jwksUri, isWebhookAddress),
		jwks: jwks && parseKeys(jwks),
		audience,
		subjectClaim,
		mfaAcr,
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
