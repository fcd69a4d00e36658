// `/auth/methods`: the ways to sign in, for the sign-in page.

import { PROVIDER_KINDS } from "../../../domain/identity-provider.ts";
import { TENANT_SLUG_MAX, type Tenant, tenantNotFound, type Visitor } from "../../../domain/tenant.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { exactName } from "../../../http/query-parameters.ts";
import { boolean, choice, list, object, plain } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { parseIp } from "../../../kernel/ip.ts";
import type { Platform } from "../../platform.ts";

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
				id: plain({ format: "uuid", description: "For `X-Tenant-ID` of all calls before sign-in." }),
				slug: plain(),
				name: plain(),
			},
			{ title: "SignInTenant" },
		),
		registration: boolean({ description: "Whether users may register. Always true in this version." }),
		passkeys: boolean({ description: "Whether passkeys work here: they need a domain, not an IP address." }),
		providers: list(shownProvider, { description: "Enabled providers, by name." }),
	},
	{ title: "SignInMethods" },
);

export function methodEndpoints({ db, party }: Platform) {
	const { tenants, identityProviders } = db.stores;
	const findTenant = (tenantId: string, slug: string | undefined): Promise<Tenant | undefined> =>
		slug === undefined ? tenants.findById(tenantId) : tenants.findBySlug(slug);
	return {
		get: endpoint<Visitor>()({
			name: "getSignInMethods",
			summary: "Get the sign-in methods of a tenant",
			query: { tenant: exactName(TENANT_SLUG_MAX, "The slug of the tenant, instead of `X-Tenant-ID`.") },
			response: data(200, methodsSchema, "The tenant and its sign-in methods."),
			errors: ["tenant.not_found"],
			async handle({ caller, query, request }) {
				const tenant = await findTenant(caller.tenantId, query.tenant);
				if (tenant === undefined) throw tenantNotFound();
				request.tenantId = tenant.id;
				const providers = await identityProviders.listEnabled(tenant.id);
				return {
					tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
					registration: true,
					passkeys: parseIp(party.rpId) === undefined,
					providers: providers.map(toWireProvider),
				};
			},
		}),
	};
}
