// `/domains`: domains of email addresses that the tenant proves to control. `/auth/discover`: where an address signs in.

import type { Administrator } from "../../../domain/caller.ts";
import {
	DOMAIN_MAX,
	DOMAINS_MAX,
	domainNotFound,
	type EmailDomain,
	recordName,
} from "../../../domain/email-domain.ts";
import type { InPerson } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import {
	boolean,
	choice,
	exactText,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { domainOf, parseEmailAddress } from "../../../kernel/email-address.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { setUpSchema, toWireSetUp } from "../third-party/provider-endpoints.ts";
import { addDomain, removeDomain, updateDomain } from "./manage-domain.ts";
import { verifyDomain } from "./verify-domain.ts";

export const recordSchema = object(
	{
		name: plain({ examples: ["_latchkey.example.com"] }),
		type: choice(["TXT"]),
		value: plain({ examples: ["latchkey-verification=PJ4mCWJvVZzQ1WjfnGxGTVbkKXKHh2yZJ0hWkN0bOoM"] }),
	},
	{ title: "DomainRecord", description: "The DNS record that proves the domain." },
);

const domainSchema = object(
	{
		id: plain({ format: "uuid" }),
		domain: plain({ description: "In lower case and ASCII.", examples: ["example.com"] }),
		issuer_id: nullable(plain({ format: "uuid", description: "Where its addresses sign in." })),
		enforce: boolean("Whether its users sign in nowhere else; administrators do."),
		verified_at: nullable(time("Null while it is not verified.")),
		record_seen_at: nullable(time("When the record was last found.")),
		record: recordSchema,
		set_up: optional(nullable(setUpSchema)),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "Domain" },
);
const toWireForm = toWire(domainSchema);

export function recordOf({ domain, recordValue: value }: Pick<EmailDomain, "domain" | "recordValue">) {
	return { name: recordName(domain), type: "TXT" as const, value };
}

const toWireDomain = (domain: EmailDomain) => toWireForm({ ...domain, record: recordOf(domain) });

const issuer_id = optional(
	nullable(
		uuid({ description: "An identity provider of the tenant that signs users in.", examples: [null] }),
	),
);
const patchBody = object({
	issuer_id,
	enforce: optional(
		boolean(
			"Needs a verified domain and an enabled issuer. Its users, administrators excepted, then sign in at the issuer only: any other way returns 403 `sign_in.enforced`, and links to reset a password or to accept an invitation are not mailed. Their sessions that began elsewhere end immediately.",
		),
	),
});
const toPatch = fromWire(patchBody);
export const names = {
	domain: { pattern: /^[a-z0-9.-]{1,253}$/, code: "domain.not_found" },
} as const;

export function domainsEndpoints(platform: Platform) {
	const { domains, setUpLinks } = platform.db.stores;
	const withSetUp = async (tenantId: string) => {
		const links = await setUpLinks.listAll(tenantId);
		return (domain: EmailDomain) => {
			const link = links.find(({ domainId }) => domainId === domain.id);
			return { ...toWireDomain(domain), set_up: link === undefined ? null : toWireSetUp(link) };
		};
	};
	return {
		list: endpoint<Administrator>()({
			name: "listDomains",
			summary: "List domains",
			response: page(domainSchema, "Domains of the tenant, newest first."),
			handle: async ({ caller, page: pageQuery }) =>
				mapPage(await domains.list(caller.tenantId, pageQuery), await withSetUp(caller.tenantId)),
		}),

		add: endpoint<InPerson>()({
			name: "addDomain",
			summary: "Add a domain",
			description: `Creates the value of a TXT record that proves the domain, and looks up nothing. A domain that is not verified reserves nothing: other tenants may add it, too, and the first that proves it holds it. Domains of public mail providers are refused. A tenant can have at most ${DOMAINS_MAX}.`,
			body: object({
				domain: text({ max: DOMAIN_MAX, examples: ["example.com"], description: "Such as `example.com`." }),
				issuer_id,
			}),
			response: data(201, domainSchema, "The domain, with its record."),
			errors: ["domain.exists", "domain.too_many"],
			async handle({ caller, body: { domain, issuer_id: issuerId = null } }) {
				return toWireDomain(await addDomain(platform, { domain, issuerId }, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getDomain",
			summary: "Get a domain",
			names,
			response: data(200, domainSchema, "The domain."),
			async handle({ caller: { tenantId }, ids: { domain } }) {
				const row = found(await domains.find(tenantId, domain), domainNotFound);
				return (await withSetUp(tenantId))(row);
			},
		}),

		update: endpoint<InPerson>()({
			name: "updateDomain",
			summary: "Change a domain",
			description: "Absent fields keep their values.",
			names,
			body: patchBody,
			response: data(200, domainSchema, "The changed domain."),
			errors: ["domain.unverified"],
			handle: async ({ caller, ids: { domain }, body }) =>
				toWireDomain(await updateDomain(platform, domain, toPatch(body), caller)),
		}),

		verify: endpoint<InPerson>()({
			name: "verifyDomain",
			summary: "Verify a domain",
			description:
				"Looks up the TXT record now. Once verified, the domain is checked daily; after 30 days without the record it is no longer verified, its sign-in is not enforced any more, and the administrators are mailed three days after it went missing and at the end.",
			names,
			response: data(200, domainSchema, "The verified domain."),
			errors: ["domain.unverified", "domain.taken"],
			handle: async ({ caller, ids: { domain } }) =>
				toWireDomain(await verifyDomain(platform, domain, caller)),
		}),

		remove: endpoint<InPerson>()({
			name: "removeDomain",
			summary: "Remove a domain",
			description: "Its addresses are not routed any more, and another tenant may verify it.",
			names,
			response: empty(204, "The domain is removed."),
			handle: ({ caller, ids: { domain } }) => removeDomain(platform, domain, caller),
		}),

		discover: endpoint<Visitor>()({
			name: "discoverProvider",
			summary: "Find the provider of an address",
			description:
				"Returns the provider at which the addresses of a verified domain sign in, and an empty object for anything else. Decides by the domain alone, so the response does not reveal whether an address has an account.",
			body: object({
				identifier: exactText({
					max: 254,
					description:
						"What the user typed: an email address, or a username, for which no provider is returned.",
				}),
			}),
			response: data(200, discoveredSchema, "The provider, if any."),
			async handle({ caller: { tenantId }, body: { identifier } }) {
				const address = parseEmailAddress(identifier);
				// The same statement for anything: no domain is empty.
				const route = await domains.findRoute(tenantId, address === undefined ? "" : domainOf(address));
				if (route === undefined || !route.isOpen) return {};
				return { provider: route.provider, display_name: route.displayName, enforced: route.enforce };
			},
		}),
	};
}

const discoveredSchema = object(
	{
		provider: optional(plain({ description: "The slug of the provider.", examples: ["acme"] })),
		display_name: optional(plain({ examples: ["Acme"] })),
		enforced: optional(boolean("Whether the address can sign in nowhere else.")),
	},
	{ title: "DiscoveredProvider" },
);
