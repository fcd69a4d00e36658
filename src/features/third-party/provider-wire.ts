// Identity providers as the wire has them.

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
} from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import {
	CLIENT_ID_MAX,
	CLIENT_SECRET_MAX,
	type IdentityProvider,
	ISSUER_MAX,
	PROVIDER,
	PROVIDER_KINDS,
	PROVIDER_NAME_MAX,
} from "./model.ts";

export const identityProviderSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		provider: plain({ description: "Its slug, as paths and linked accounts carry it." }),
		kind: choice(PROVIDER_KINDS),
		display_name: plain(),
		client_id: plain(),
		client_secret_set_at: time({ description: "The secret itself is never shown." }),
		issuer: nullable(plain({ description: "Null where the kind has its own address." })),
		enabled: boolean(),
		sign_up: boolean(),
		callback_url: plain({ description: "The redirect address to register at the provider." }),
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
	description: "As the provider gave it; kept sealed and never shown again.",
});
const issuer = nullable(
	text({
		max: ISSUER_MAX,
		description:
			"https, exactly as the provider names itself; required for `oidc`, taken by `microsoft`, `gitlab`, `github` and `feishu` for an address of one's own. It must lead to the public Internet, or to a network the operator allows.",
		examples: ["https://login.example.com"],
	}),
);
const enabled = boolean({ description: "Whether people may sign in with it; true unless given." });
const signUp = boolean({ description: "Whether a person nobody knows gets an account; false unless given." });

/** Body of `POST /identity-providers`. */
export const newIdentityProviderSchema = object({
	provider: text({
		max: 64,
		pattern: PROVIDER.source,
		description: "Slug, unique in the tenant; it never changes.",
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
