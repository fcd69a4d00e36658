// `/identity-providers`: the identity providers of a tenant, as its admins manage them. Contract section 8.

import {
	type IdentityProvider,
	identityProviderNotFound,
	PROVIDERS_MAX,
} from "../../../domain/identity-provider.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, empty, endpoint, page } from "../../../http/endpoint.ts";
import type { Platform } from "../../platform.ts";
import { createProvider, deleteProvider, updateProvider } from "./manage-provider.ts";
import {
	identityProviderPatchSchema,
	identityProviderSchema,
	newIdentityProviderSchema,
	toWireIdentityProvider,
} from "./provider-wire.ts";
import { createCallbacks } from "./sign-in-urls.ts";

const ids = { id: "identity_provider.not_found" } as const;

export function identityProvidersEndpoints(platform: Platform) {
	const { identityProviders } = platform.db.stores;
	const callbackOf = createCallbacks(platform);
	const toWire = async (provider: IdentityProvider) =>
		toWireIdentityProvider(provider, (await callbackOf(provider)).url);
	return {
		list: endpoint<SignedIn>()({
			name: "listIdentityProviders",
			summary: "List identity providers",
			answer: page(identityProviderSchema, "Providers of the tenant, newest first."),
			async handle({ caller, page: pageQuery }) {
				const { items, total } = await identityProviders.list(caller.tenantId, pageQuery);
				return { items: await Promise.all(items.map(toWire)), total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createIdentityProvider",
			summary: "Create an identity provider",
			description: `Register the answer's \`callback_url\` at the provider. The provider is not called yet: wrong credentials fail at the first sign-in. Where a platform_admin already has an account under the slug, only a platform_admin may create it (403). At most ${PROVIDERS_MAX} a tenant.`,
			body: newIdentityProviderSchema,
			answer: data(201, identityProviderSchema, "The new provider, without its secret."),
			errors: ["identity_provider.slug_taken", "identity_provider.too_many"],
			async handle({ caller, body }) {
				const newProvider = {
					provider: body.provider,
					kind: body.kind,
					displayName: body.display_name,
					clientId: body.client_id,
					clientSecretPlain: body.client_secret,
					issuer: body.issuer ?? null,
					enabled: body.enabled ?? true,
					signUp: body.sign_up ?? false,
				};
				return toWire(await createProvider(platform, newProvider, caller));
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getIdentityProvider",
			summary: "Get an identity provider",
			ids,
			answer: data(200, identityProviderSchema, "The provider, without its secret."),
			async handle({ caller, ids: { id } }) {
				const provider = await identityProviders.findById(caller.tenantId, id);
				if (provider === undefined) throw identityProviderNotFound();
				return toWire(provider);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateIdentityProvider",
			summary: "Change an identity provider",
			description:
				"Fields that are absent stay. A `client_secret` replaces the old one at once. Slug and kind never change. The issuer cannot change while accounts are linked (409): at another issuer the same ids belong to other people.",
			ids,
			body: identityProviderPatchSchema,
			answer: data(200, identityProviderSchema, "The provider as it is now."),
			errors: ["identity_provider.in_use"],
			async handle({ caller, ids: { id }, body }) {
				const patch = {
					displayName: body.display_name,
					clientId: body.client_id,
					clientSecretPlain: body.client_secret,
					issuer: body.issuer,
					enabled: body.enabled,
					signUp: body.sign_up,
				};
				return toWire(await updateProvider(platform, id, patch, caller));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteIdentityProvider",
			summary: "Delete an identity provider",
			description:
				"Refused while accounts of it are linked (409): disable it instead. Sign-ins in progress fail.",
			ids,
			answer: empty(204, "The provider is deleted."),
			errors: ["identity_provider.in_use"],
			handle: ({ caller, ids: { id } }) => deleteProvider(platform, id, caller),
		}),
	};
}
