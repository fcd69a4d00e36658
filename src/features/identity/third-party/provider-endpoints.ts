// `/identity-providers`: the identity providers of a tenant, as its admins manage them.

import type { Administrator } from "../../../domain/caller.ts";
import {
	CLIENT_ID_MAX,
	CLIENT_SECRET_MAX,
	type IdentityProvider,
	ISSUER_MAX,
	identityProviderNotFound,
	PROVIDER,
	PROVIDER_KINDS,
	PROVIDER_NAME_MAX,
	PROVIDERS_MAX,
} from "../../../domain/identity-provider.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, empty, endpoint, page } from "../../../http/endpoint.ts";
import {
	boolean,
	choice,
	exactText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
} from "../../../http/schema.ts";
import { fromWire, toWire } from "../../../http/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { createProvider, deleteProvider, updateProvider } from "./manage-provider.ts";
import { createCallbacks } from "./sign-in-urls.ts";

const identityProviderSchema = object(
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
const optionalFields = {
	issuer: optional(
		nullable(
			text({
				max: ISSUER_MAX,
				description:
					"https, exactly as in the provider's own metadata. Required for `oidc`; optional for `microsoft`, `gitlab`, `github` and `feishu`, for a self-hosted or single-tenant address. Its host must be on the public Internet or in a network that the operator allows.",
				examples: ["https://login.example.com"],
			}),
		),
	),
	enabled: optional(boolean({ description: "Whether people may sign in with it. Default true." })),
	sign_up: optional(boolean({ description: "Whether an unknown person gets a new account. Default false." })),
};
const newFields = {
	provider: text({
		max: 64,
		pattern: PROVIDER.source,
		description: "Slug, unique in the tenant. It never changes.",
		examples: ["google"],
	}),
	kind: choice(PROVIDER_KINDS),
	display_name: displayName,
	client_id: clientId,
	...optionalFields,
};
const patchFields = {
	display_name: optional(displayName),
	client_id: optional(clientId),
	...optionalFields,
};
/** Without the secret. */
const fromNew = fromWire(object(newFields));
const fromPatch = fromWire(object(patchFields));
const toWireForm = toWire(identityProviderSchema);
const DEFAULTS = { issuer: null, enabled: true, signUp: false };

const ids = { id: "identity_provider.not_found" } as const;

export function identityProvidersEndpoints(platform: Platform) {
	const { identityProviders } = platform.db.stores;
	const callbackOf = createCallbacks(platform);
	const toWireProvider = async (provider: IdentityProvider) =>
		toWireForm({ ...provider, callbackUrl: (await callbackOf(provider)).url });
	return {
		list: endpoint<Administrator>()({
			name: "listIdentityProviders",
			summary: "List identity providers",
			response: page(identityProviderSchema, "Providers of the tenant, newest first."),
			async handle({ caller, page: pageQuery }) {
				const { items, total } = await identityProviders.list(caller.tenantId, pageQuery);
				return { items: await Promise.all(items.map(toWireProvider)), total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createIdentityProvider",
			summary: "Create an identity provider",
			description: `Register the answer's \`callback_url\` at the provider. The provider is not called yet: wrong credentials fail at the first sign-in. Where a platform_admin already has an account under the slug, only a platform_admin may create it (403). At most ${PROVIDERS_MAX} a tenant.`,
			body: object({ ...newFields, client_secret: clientSecret }),
			response: data(201, identityProviderSchema, "The new provider, without its secret."),
			errors: ["identity_provider.slug_taken", "identity_provider.too_many"],
			async handle({ caller, body }) {
				const newProvider = { ...DEFAULTS, ...fromNew(body), clientSecretPlain: body.client_secret };
				return toWireProvider(await createProvider(platform, newProvider, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getIdentityProvider",
			summary: "Get an identity provider",
			ids,
			response: data(200, identityProviderSchema, "The provider, without its secret."),
			async handle({ caller, ids: { id } }) {
				const provider = await identityProviders.findById(caller.tenantId, id);
				if (provider === undefined) throw identityProviderNotFound();
				return toWireProvider(provider);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateIdentityProvider",
			summary: "Change an identity provider",
			description:
				"Fields that are absent stay. A `client_secret` replaces the old one at once. Slug and kind never change. The issuer cannot change while accounts are linked (409): at another issuer the same ids belong to other people.",
			ids,
			body: object({ ...patchFields, client_secret: optional(clientSecret) }),
			response: data(200, identityProviderSchema, "The provider as it is now."),
			errors: ["identity_provider.in_use"],
			async handle({ caller, ids: { id }, body }) {
				const patch = { ...fromPatch(body), clientSecretPlain: body.client_secret };
				return toWireProvider(await updateProvider(platform, id, patch, caller));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteIdentityProvider",
			summary: "Delete an identity provider",
			description:
				"Refused while accounts of it are linked (409): disable it instead. Sign-ins in progress fail.",
			ids,
			response: empty(204, "The provider is deleted."),
			errors: ["identity_provider.in_use"],
			handle: ({ caller, ids: { id } }) => deleteProvider(platform, id, caller),
		}),
	};
}
