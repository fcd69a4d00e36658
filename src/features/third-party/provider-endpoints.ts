// `/identity-providers`: with whom people may sign in, as administrators manage it. Contract section 8.

import { data, empty, endpoint, page } from "../../http/endpoint.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import type { CallbackNameOf } from "./callback-name.ts";
import { type CreateProviderDeps, createProvider } from "./create-provider.ts";
import { type DeleteProviderDeps, deleteProvider } from "./delete-provider.ts";
import { type IdentityProvider, identityProviderNotFound, PROVIDERS_MAX } from "./model.ts";
import { callbackUrl } from "./our-urls.ts";
import {
	identityProviderPatchSchema,
	identityProviderSchema,
	newIdentityProviderSchema,
	toWireIdentityProvider,
} from "./provider-wire.ts";
import { type UpdateProviderDeps, updateProvider } from "./update-provider.ts";

export type IdentityProvidersDeps = CreateProviderDeps &
	UpdateProviderDeps &
	DeleteProviderDeps & { readonly publicUrl: string; readonly callbackNameOf: CallbackNameOf };

const ids = { id: "identity_provider.not_found" } as const;

export function identityProvidersEndpoints(deps: IdentityProvidersDeps) {
	const { identityProviders } = deps.db.stores;
	const toWire = async (provider: IdentityProvider) =>
		toWireIdentityProvider(provider, callbackUrl(deps.publicUrl, await deps.callbackNameOf(provider)));
	return {
		list: endpoint<SignedIn>()({
			name: "listIdentityProviders",
			summary: "List identity providers",
			answer: page(identityProviderSchema, "Providers of the tenant, newest first."),
			async handle({ caller, page: asked }) {
				const { items, total } = await identityProviders.list(caller.tenantId, asked);
				return { items: await Promise.all(items.map(toWire)), total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createIdentityProvider",
			summary: "Create an identity provider",
			description: `The answer's \`callback_url\` is what the provider wants to know of us. Nothing is asked of the provider yet: what is wrong with the credentials shows at the first sign-in. Where a platform_admin has an account under the slug already, only a platform_admin may (403). At most ${PROVIDERS_MAX} a tenant.`,
			body: newIdentityProviderSchema,
			answer: data(201, identityProviderSchema, "The new provider, without its secret."),
			errors: ["identity_provider.slug_taken", "identity_provider.too_many"],
			async handle({ caller, body, request }) {
				const wanted = {
					provider: body.provider,
					kind: body.kind,
					displayName: body.display_name,
					clientId: body.client_id,
					clientSecretPlain: body.client_secret,
					issuer: body.issuer ?? null,
					enabled: body.enabled ?? true,
					signUp: body.sign_up ?? false,
				};
				return toWire(await createProvider(deps, wanted, { caller, origin: request }));
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getIdentityProvider",
			summary: "Get an identity provider",
			ids,
			answer: data(200, identityProviderSchema, "The provider, without its secret."),
			async handle({ caller, ids: { id } }) {
				const provider = await identityProviders.findById(caller.tenantId, id as string);
				if (provider === undefined) throw identityProviderNotFound();
				return toWire(provider);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateIdentityProvider",
			summary: "Change an identity provider",
			description:
				"Fields that are absent stay; a `client_secret` takes the place of the old one at once. Slug and kind never change, and the issuer not while accounts are linked (409): elsewhere the same ids are other people.",
			ids,
			body: identityProviderPatchSchema,
			answer: data(200, identityProviderSchema, "The provider as it is now."),
			errors: ["identity_provider.in_use"],
			async handle({ caller, ids: { id }, body, request }) {
				const patch = {
					displayName: body.display_name,
					clientId: body.client_id,
					clientSecretPlain: body.client_secret,
					issuer: body.issuer,
					enabled: body.enabled,
					signUp: body.sign_up,
				};
				return toWire(await updateProvider(deps, id as string, patch, adminContext(caller, request)));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteIdentityProvider",
			summary: "Delete an identity provider",
			description:
				"Only while nobody has an account of it linked (409): disable it instead. Sign-ins under way fail.",
			ids,
			answer: empty(204, "The provider is gone."),
			errors: ["identity_provider.in_use"],
			handle: ({ caller, ids: { id }, request }) =>
				deleteProvider(deps, id as string, adminContext(caller, request)),
		}),
	};
}
