// `/tenants`: platform admins manage the tenants of the installation.

import type { Administrator } from "../../../domain/caller.ts";
import { RESOURCE_MAX } from "../../../domain/oauth-client.ts";
import type { InPerson } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import {
	DORMANT_DAYS_MAX,
	DORMANT_DAYS_MIN,
	SENDER_ADDRESSES_MAX,
	TENANT_NAME_MAX,
	TENANT_SLUG,
	TENANT_SLUG_MAX,
	tenantNotFound,
} from "../../../domain/tenant.ts";
import { USERNAME } from "../../../domain/user.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { searchText } from "../../../http/describe/query-parameters.ts";
import {
	boolean,
	email,
	integer,
	list,
	nameText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import { managedBy } from "../../access/configuration/rows-wire.ts";
import type { Platform } from "../../platform.ts";
import { NEW_PASSWORD_ERRORS } from "../users/user-wire.ts";
import { assignResource, createTenant, updateTenant } from "./manage-tenant.ts";

const dormantDays = (whom: string) =>
	nullable(integer(`Days without use after which ${whom} are disabled; null for never.`));
const dormantDaysInput = (description: string) =>
	optional(
		nullable(
			integer({
				min: DORMANT_DAYS_MIN,
				max: DORMANT_DAYS_MAX,
				description: `${description} Null for never.`,
			}),
		),
	);

const fields = {
	id: plain({ format: "uuid" }),
	name: plain(),
	slug: plain("Unique in the installation."),
	require_mfa: boolean("Whether its users must sign in with a second factor."),
	sender_addresses: list(plain({ format: "email" }), {
		description: "Addresses that its mails may come from, in addition to the installation's.",
		examples: [["shop@example.com"]],
	}),
	program_requests: boolean(
		"Whether its users may request access for programs that name themselves by the URL of a metadata document.",
	),
	mailed_code: boolean("Whether its users may sign in with a mailed code."),
	test_clients: boolean(
		"Whether applicants may create a test client before the decision on their access request.",
	),
	managed_by: managedBy,
	dormant_after_days: dormantDays("people"),
	client_dormant_after_days: dormantDays("API clients"),
	partner_keys_need_review: boolean(
		"Whether a public key that a partner adds signs nothing until a reviewer accepts it.",
	),
	second_factor_help: boolean(
		"Whether users who cannot use any of their second factors may notify the administrators at sign-in.",
	),
	created_at: time(),
	updated_at: time(),
};
const tenantSchema = object(fields, { title: "Tenant" });
const newTenantSchema = object(
	{
		...fields,
		admin: object({ id: plain({ format: "uuid" }), username: plain(), email: plain({ format: "email" }) }),
	},
	{ title: "NewTenant" },
);

const contestedSchema = object(
	{
		resource: plain({ examples: ["https://api.example.com"] }),
		application_id: plain({ format: "uuid", description: "The API that gets no tokens." }),
		tenant_id: plain({ format: "uuid", description: "Its tenant." }),
		tenant_name: plain(),
		assigned_tenant_id: plain({
			format: "uuid",
			description: "The tenant that tokens for the resource are issued in.",
		}),
		assigned_tenant_name: plain(),
		created_at: time("When the application became an OAuth client."),
	},
	{ title: "ContestedResource" },
);

const name = nameText({ max: TENANT_NAME_MAX });
const slug = text({ max: TENANT_SLUG_MAX, pattern: TENANT_SLUG.source });
const admin = object({
	username: text({ min: 3, max: 64, pattern: USERNAME.source }),
	email: email(),
	password: secretText({ max: PASSWORD_TEXT_MAX }),
});
const patchBody = object({
	name: optional(name),
	slug: optional(slug),
	sender_addresses: optional(
		list(email(), {
			max: SENDER_ADDRESSES_MAX,
			description:
				"Replaces the list. The tenant's administrators may choose one as the sender of its mails. Your mail server and the domain's SPF and DKIM records must allow it.",
		}),
	),
	require_mfa: optional(
		boolean(
			"Whether its users must sign in with a second factor. Users without one enroll one at sign-in. Sessions without one end at their next refresh.",
		),
	),
	program_requests: optional(
		boolean(
			"Whether its users may request access for programs. Reviewers decide; programs that were approved keep working when it is off.",
		),
	),
	mailed_code: optional(
		boolean(
			"Whether its users may sign in with a code mailed to them, instead of a password. Users with a system role need an enrolled second factor as well; platform admins cannot.",
		),
	),
	test_clients: optional(
		boolean(
			"Whether the receipt of an access request links to a test client. When it is off, the service refuses existing test clients.",
		),
	),
	dormant_after_days: dormantDaysInput(
		"Days without a sign-in or another use after which a user is disabled. The service mails the user 14 days before. It never disables the last active admin.",
	),
	client_dormant_after_days: dormantDaysInput(
		"Days without a request after which an API client is disabled. The service mails its owner, or else the reviewers, 14 days before.",
	),
	partner_keys_need_review: optional(
		boolean(
			"Whether a public key that a partner adds signs nothing until a reviewer accepts it. Keys that were added before keep their state.",
		),
	),
	second_factor_help: optional(
		boolean(
			"Whether users who cannot use any of their second factors may notify the administrators at sign-in, after the correct password, by one mail a day.",
		),
	),
});
const fromPatch = fromWire(patchBody);
const toWireTenant = toWire(tenantSchema);
const toWireContested = toWire(contestedSchema);
const ids = { id: "tenant.not_found" } as const;

export function tenantsEndpoints(platform: Platform) {
	const { tenants, oauthClients } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listTenants",
			summary: "List tenants",
			description: "`q` finds literal parts of the name or slug, ignoring case and accents.",
			query: { q: searchText() },
			response: page(tenantSchema, "Tenants of the installation, newest first."),
			handle: async ({ query, page }) => mapPage(await tenants.list(query, page), toWireTenant),
		}),

		create: endpoint<InPerson>()({
			name: "createTenant",
			summary: "Create a tenant with its first admin",
			description:
				"The admin signs in with `X-Tenant-ID` set to the id of the new tenant, and manages only that tenant. The email counts as verified. The password must meet the rules of `POST /users`.",
			body: object({ name, slug, admin }),
			response: data(201, newTenantSchema, "The new tenant and its admin."),
			errors: [...NEW_PASSWORD_ERRORS, "tenant.slug_taken"],
			async handle({ caller, body }) {
				const { username, email, password: passwordPlain } = body.admin;
				const newTenant = { ...body, admin: { username, email, passwordPlain } };
				const { tenant, admin } = await createTenant(platform, newTenant, caller);
				return { ...toWireTenant(tenant), admin: { id: admin.id, username, email } };
			},
		}),

		get: endpoint<Administrator>()({
			name: "getTenant",
			summary: "Get a tenant",
			ids,
			response: data(200, tenantSchema, "The tenant."),
			handle: async ({ ids: { id } }) => toWireTenant(found(await tenants.findById(id), tenantNotFound)),
		}),

		update: endpoint<Administrator>()({
			name: "updateTenant",
			summary: "Change a tenant",
			description:
				"Absent fields are unchanged. The slug of the tenant `default` cannot change. An admin key cannot set `require_mfa`, `mailed_code`, or `sender_addresses` (403).",
			ids,
			body: patchBody,
			response: data(200, tenantSchema, "The updated tenant."),
			errors: ["tenant.slug_taken", "tenant.is_default", "admin_key.not_allowed"],
			handle: async ({ caller, ids: { id }, body }) =>
				toWireTenant(await updateTenant(platform, id, fromPatch(body), caller)),
		}),

		listContestedResources: endpoint<Administrator>()({
			name: "listContestedResources",
			summary: "List contested resources",
			description:
				"An API gets no tokens while its `resource` is assigned to another tenant. Assign it with `PUT /tenants/{id}/resources`, or ask one of the tenants to change it.",
			response: page(contestedSchema, "APIs of all tenants that get no tokens, newest first."),
			handle: async ({ page }) => mapPage(await oauthClients.listContested(page), toWireContested),
		}),

		assignResource: endpoint<InPerson>()({
			name: "assignResource",
			summary: "Assign the resource of an API to a tenant",
			description:
				"Tokens for a resource are issued in one tenant: the first that stored it, or the one assigned here. From now on, other tenants get `invalid_target` for it; their tokens remain valid for at most 15 minutes. Their settings are unchanged.",
			ids,
			body: object({ resource: text({ max: RESOURCE_MAX, examples: ["https://api.example.com"] }) }),
			response: empty(204, "The resource is assigned."),
			handle: ({ caller, ids: { id }, body }) => assignResource(platform, id, body.resource, caller),
		}),
	};
}
