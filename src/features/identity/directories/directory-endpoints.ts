// `/identity-providers/{id}/directory`: the directory (SCIM) of an issuer, as administrators manage it.

import type { Administrator } from "../../../domain/caller.ts";
import { OVERLAP_SECONDS_MAX } from "../../../domain/client-secret.ts";
import {
	ADOPTIONS,
	DEFAULT_GRANT_ROLES_MAX,
	DEFAULT_GRANTS_MAX,
	DIRECTORY_DOMAINS_MAX,
	DIRECTORY_EVENTS_KEPT,
	type Directory,
	directoryNotFound,
	directoryUrl,
	GROUP_PREFIX_MAX,
	ON_REMOVE,
} from "../../../domain/directory.ts";
import { identityProviderNotFound } from "../../../domain/identity-provider.ts";
import type { InPerson } from "../../../domain/session.ts";
import { data, empty, endpoint, page, putData } from "../../../http/describe/endpoint.ts";
import {
	choice,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
	uuid,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { putDirectory, removeDirectory, rotateToken } from "./manage-directory.ts";

const onRemove = choice(ON_REMOVE, {
	description:
		"What happens to a person whom the directory deletes: `disable` keeps the account, which then no longer belongs to the directory.",
});
const adopt = choice(ADOPTIONS, {
	description:
		"Which accounts the directory takes over, besides those that are linked to the `externalId` at its issuer. `verified_email`: those with the same address, verified here, in a domain that was verified for the issuer. Never those with a system role. Default: `off`.",
});
const clientId = nullable(
	uuid(
		"An application whose OAuth client has the type `service`: its client-credentials tokens for the resource `url` are accepted, too.",
	),
);
const fields = {
	domains: list(plain(), { description: "The only domains of email addresses; empty: any." }),
	group_prefix: plain("Begins the names of its groups."),
	default_grants: list(
		object({ app_id: plain({ format: "uuid" }), roles: list(plain(), { description: "Names, sorted." }) }),
	),
	on_remove: onRemove,
	adopt,
	client_id: nullable(plain({ format: "uuid" })),
	url: plain("What to enter as the tenant URL or base URL at Entra ID or Okta."),
	token_hint: plain("Last four characters of the token."),
	previous_token_expires_at: nullable(time()),
	people: integer("How many people it has."),
	groups: integer("How many groups it has."),
	created_at: time(),
	updated_at: time(),
};
const directorySchema = object(fields, { title: "Directory" });
const withTokenSchema = object(
	{
		...fields,
		token: optional(plain("Only in the response that creates it: store it now.")),
	},
	{ title: "DirectoryWithToken" },
);
const eventSchema = object(
	{
		id: plain({ format: "uuid" }),
		at: time(),
		method: plain({ examples: ["PATCH"] }),
		path: plain({ description: "Below `url`, with the filter.", examples: ["Users/0199…"] }),
		status: integer("The status of the response."),
		detail: plain('Why the request was refused; `""` if it was not.'),
		sent: plain("The body that the directory sent, at most 2,000 characters."),
		answered: plain("The body of the response, at most 2,000 characters."),
		user_id: nullable(plain({ format: "uuid" })),
		request_id: plain(),
	},
	{ title: "DirectoryEvent" },
);
const body = object({
	domains: optional(
		list(
			text({
				max: 253,
				pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
				examples: ["example.com"],
			}),
			{
				max: DIRECTORY_DOMAINS_MAX,
				unique: true,
				description: "Addresses in other domains are refused. Default: none are.",
			},
		),
	),
	group_prefix: optional(
		text({
			min: 0,
			max: GROUP_PREFIX_MAX,
			description: 'Begins the names of its groups, such as `entra-`. Default: `""`.',
			examples: ["entra-"],
		}),
	),
	default_grants: optional(
		list(
			object({
				app_id: uuid(),
				roles: list(text({ max: 64 }), {
					max: DEFAULT_GRANT_ROLES_MAX,
					description: "Names or ids of roles of the application.",
				}),
			}),
			{
				max: DEFAULT_GRANTS_MAX,
				description:
					"Access that every person gets when the directory creates or adopts them. Default: none.",
			},
		),
	),
	on_remove: onRemove,
	adopt: optional(adopt),
	client_id: optional(clientId),
});
const rotateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: "How long the old token remains valid; default 0.",
		}),
	),
});

const DEFAULTS = { groupPrefix: "", adopt: "off", clientId: null } as const;
const fromBody = fromWire(body);
/** The converter leaves objects in lists as they are. */
const toWish = (sent: Infer<typeof body>) => {
	const { defaultGrants = [], domains = [], ...wish } = fromBody(sent);
	return {
		...DEFAULTS,
		...wish,
		domains: domains.map((domain) => domain.toLowerCase()),
		defaultGrants: defaultGrants.map(({ app_id: appId, roles }) => ({ appId, roles })),
	};
};
const toWireForm = toWire(withTokenSchema);
const toWireEvent = toWire(eventSchema);
const ids = { id: "identity_provider.not_found" } as const;

export function directoryEndpoints(platform: Platform) {
	const { directories, identityProviders, applicationRoles } = platform.db.stores;
	const toWireDirectory = async (directory: Directory, tokenPlain?: string) => {
		const { tenantId, issuerId } = directory;
		const defaultGrants = await Promise.all(
			directory.defaultGrants.map(async ({ appId, roleIds }) => {
				const roles = await applicationRoles.listAll(tenantId, appId);
				return {
					app_id: appId,
					roles: roles.filter(({ id }) => roleIds.includes(id)).map(({ name }) => name),
				};
			}),
		);
		return toWireForm({
			...directory,
			...(await directories.count(tenantId, issuerId)),
			domains: [...directory.domains],
			defaultGrants,
			url: directoryUrl(platform.publicUrl, { id: issuerId }),
			...(tokenPlain !== undefined && { token: tokenPlain }),
		});
	};
	const get = async (tenantId: string, id: string): Promise<Directory> => {
		found(await identityProviders.findById(tenantId, id), identityProviderNotFound);
		return found(await directories.find(tenantId, id), directoryNotFound);
	};
	return {
		put: endpoint<InPerson>()({
			name: "putDirectory",
			summary: "Give an identity provider a directory",
			description:
				"Creates the directory, or replaces its settings: absent fields get their defaults. Idempotent. The identity provider then creates, changes, and disables people and groups of the tenant by SCIM 2.0 at `url`, and authenticates with `token`, which only the response that creates the directory contains.",
			ids,
			body,
			response: putData(withTokenSchema, {
				created: "The new directory, with its token.",
				replaced: "The directory with its new settings.",
			}),
			secret: true,
			async handle({ caller, ids: { id }, body: sent }) {
				const { directory, isNew, tokenPlain } = await putDirectory(platform, id, toWish(sent), caller);
				return { isNew, value: await toWireDirectory(directory, tokenPlain) };
			},
		}),

		get: endpoint<Administrator>()({
			name: "getDirectory",
			summary: "Get the directory of an identity provider",
			ids,
			response: data(200, directorySchema, "The directory, without its token."),
			errors: ["directory.not_found"],
			handle: async ({ caller, ids: { id } }) => toWireDirectory(await get(caller.tenantId, id)),
		}),

		remove: endpoint<InPerson>()({
			name: "deleteDirectory",
			summary: "Delete the directory of an identity provider",
			description:
				"Its token becomes invalid immediately. Its people and groups remain, with what they may use, and administrators manage them from now on.",
			ids,
			response: empty(204, "The directory is deleted."),
			errors: ["directory.not_found"],
			async handle({ caller, ids: { id } }) {
				await get(caller.tenantId, id);
				await removeDirectory(platform, id, caller);
			},
		}),

		rotateToken: endpoint<InPerson>()({
			name: "rotateDirectoryToken",
			summary: "Rotate the token of a directory",
			description:
				"Only this response contains the new token. The old one becomes invalid immediately, or after `overlap_seconds`. At most two tokens are valid at any time.",
			ids,
			body: rotateBody,
			response: data(200, withTokenSchema, "The directory with its new token."),
			errors: ["directory.not_found"],
			secret: true,
			async handle({ caller, ids: { id }, body: { overlap_seconds: overlapSeconds = 0 } }) {
				await get(caller.tenantId, id);
				const { directory, tokenPlain } = await rotateToken(platform, id, overlapSeconds, caller);
				return toWireDirectory(directory, tokenPlain);
			},
		}),

		listEvents: endpoint<Administrator>()({
			name: "listDirectoryEvents",
			summary: "List what a directory sent",
			description: `The last ${DIRECTORY_EVENTS_KEPT.toLocaleString("en")} requests of the directory, of at most 30 days, with what was sent and returned. A few seconds may pass until a request appears.`,
			ids,
			response: page(eventSchema, "Requests, newest first."),
			errors: ["directory.not_found"],
			async handle({ caller: { tenantId }, ids: { id }, page: pageQuery }) {
				await get(tenantId, id);
				return mapPage(await directories.listEvents(tenantId, id, pageQuery), toWireEvent);
			},
		}),
	};
}
