// `/auth/methods`: the sign-in methods of a tenant, for the sign-in page.

import { PROVIDER_KINDS } from "../../../domain/identity-provider.ts";
import { TENANT_SLUG_MAX, tenantNotFound, type Visitor } from "../../../domain/tenant.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { exactName } from "../../../http/describe/query-parameters.ts";
import { boolean, choice, list, object, plain } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { hasPasskeys } from "../mfa/passkey-challenge.ts";

/** The public description of an enabled provider. */
export const shownProvider = object(
	{ provider: plain(), kind: choice(PROVIDER_KINDS), display_name: plain() },
	{ title: "ThirdPartyProvider" },
);
export const toWireProvider = toWire(shownProvider);

const methodsSchema = object(
	{
		tenant: object(
			{
				id: plain({ format: "uuid", description: "Send it as `X-Tenant-ID` in all calls before sign-in." }),
				slug: plain(),
				name: plain(),
			},
			{ title: "SignInTenant" },
		),
		registration: boolean("Whether users can register. Always true in this version."),
		mailed_code: boolean("Whether users can sign in with a mailed code."),
		passkeys: boolean("Whether passkeys work on this host: they require a domain, not an IP address."),
		providers: list(shownProvider, { description: "Enabled providers, by name." }),
	},
	{ title: "SignInMethods" },
);

export function methodEndpoints({ db, party }: Platform) {
	const { tenants, identityProviders } = db.stores;
	return {
		get: endpoint<Visitor>()({
			name: "getSignInMethods",
			summary: "Get the sign-in methods of a tenant",
			query: { tenant: exactName(TENANT_SLUG_MAX, "The slug of the tenant, instead of `X-Tenant-ID`.") },
			response: data(200, methodsSchema, "The tenant and its sign-in methods."),
			errors: ["tenant.not_found"],
			async handle({ caller, query, request }) {
				const { tenant: slug } = query;
				const row = slug === undefined ? tenants.findById(caller.tenantId) : tenants.findBySlug(slug);
				const tenant = found(await row, tenantNotFound);
				request.tenantId = tenant.id;
				const providers = await identityProviders.listEnabled(tenant.id);
				return {
					tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
					registration: true,
					mailed_code: tenant.mailedCode,
					passkeys: hasPasskeys(party),
					providers: providers.map(toWireProvider),
				};
			},
		}),
	};
}
