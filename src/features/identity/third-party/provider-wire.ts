// The wire form of identity providers.

import {
	CLIENT_ID_MAX,
	CLIENT_SECRET_MAX,
	type IdentityProvider,
	ISSUER_MAX,
	PROVIDER,
	PROVIDER_KINDS,
	PROVIDER_NAME_MAX,
} from "../../../domain/identity-provider.ts";
import {
	boolean,
	choice,
	exactText,
	type Infer,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
} from "../../../http/schema.ts";
import { isoTime } from "../../../kernel/clock.ts";

export const identityProviderSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		provider: plain({ description: "Slug, as in paths and linked accounts." }),
		kind: choice(PROVIDER_KINDS),
		display_name: plain(),
		client_id: plain(),
		client_secret_set_at: time({ description: "The secret itself is never returned." }),
		issuer: nullable(plain({ description: "Null where the kind has a fixed address." })),
		enabled: boolean(),
		sign_up: boolean(),
		callback_url: plain({ description: "The redirect URI to register at the provider." }),
		created_by: nullable(plain({ format: "uuid" })),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "IdentityProvider" },
);

const displayName = text({ max: PROVIDER_NAME_MAX, description: "On buttons, e.g. `Google`." });
const clientId = exactText({ max: CLIENT_ID_MAX, description: "As the provider gave it." });
const clientSecret = secretText({
	max: CLIENT_SECRET_MAX,
	description: "As the provider gave it. Stored encrypted and never returned.",
});
const issuer = nullable(
	text({
		max: ISSUER_MAX,
		description:
			"https, exactly as in the provider's own metadata. Required for `oidc`; optional for `microsoft`, `gitlab`, `github` and `feishu`, for a self-hosted or single-tenant address. Its host must be on the public Internet or in a network that the operator allows.",
		examples: ["https://login.example.com"],
	}),
);
const enabled = boolean({ description: "Whether people may sign in with it. Default true." });
const signUp = boolean({ description: "Whether an unknown person gets a new account. Default false." });

/** Body of `POST /identity-providers`. */
export const newIdentityProviderSchema = object({
	provider: text({
		max: 64,
		pattern: PROVIDER.source,
		description: "Slug, unique in the tenant. It never changes.",
		examples: ["google"],
	}),
	kind: choice(PROVIDER_KINDS),
	display_name: displayName,
	client_id: clientId,
	client_secret: clientSecret,
	issuer: optional(issuer),
	enabled: optional(enabled),
	sign_up: optional(signUp),
});

/** Body of `PATCH /identity-providers/{id}`. */
export const identityProviderPatchSchema = object({
	display_name: optional(displayName),
	client_id: optional(clientId),
	client_secret: optional(clientSecret),
	issuer: optional(issuer),
	enabled: optional(enabled),
	sign_up: optional(signUp),
});

export function toWireIdentityProvider(
	provider: IdentityProvider,
	ownCallbackUrl: string,
): Infer<typeof identityProviderSchema> {
	return {
		id: provider.id,
		tenant_id: provider.tenantId,
		provider: provider.provider,
		kind: provider.kind,
		display_name: provider.displayName,
		client_id: provider.clientId,
		client_secret_set_at: isoTime(provider.clientSecretSetAtMs),
		issuer: provider.issuer,
		enabled: provider.enabled,
		sign_up: provider.signUp,
		callback_url: ownCallbackUrl,
		created_by: provider.createdBy,
		created_at: isoTime(provider.createdAtMs),
		updated_at: isoTime(provider.updatedAtMs),
	};
}
