// The metadata of an API behind a gate, which tells clients where to get tokens for it (RFC 9728).

import { gateNotFound } from "../../../domain/gate.ts";
import { scopesOfRoles } from "../../../domain/oauth-scope.ts";
import { bare, endpoint } from "../../../http/describe/endpoint.ts";
import { choice, list, object, plain } from "../../../http/describe/schema.ts";
import { found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";

const ids = { application_id: "gate.not_found" } as const;

const metadataSchema = object(
	{
		resource: plain({ format: "uri", description: "The `resource` of the application, as it was entered." }),
		resource_name: plain("The name of the application."),
		authorization_servers: list(plain({ format: "uri" }), { description: "The issuer." }),
		scopes_supported: list(plain(), {
			description: "The permissions of the application's roles, without patterns such as `orders:*`.",
			examples: [["orders:read"]],
		}),
		bearer_methods_supported: list(choice(["header"])),
	},
	{ title: "ProtectedResource" },
);

export function gateMetadataEndpoints({ db, publicUrl }: Platform) {
	const { gates, oauthClients, applicationRoles } = db.stores;
	return {
		get: endpoint<undefined>()({
			name: "getProtectedResource",
			summary: "Get the OAuth metadata of an API behind a gate",
			description:
				"RFC 9728, not wrapped in `data`. A 401 of the gate contains this URL in `resource_metadata`. Clients may also derive the URL from the API's host: the proxy configurations route `/.well-known/oauth-protected-resource` of that host here. A gate of an application without a `resource` has no metadata.",
			ids,
			response: bare(200, metadataSchema, "The metadata."),
			async handle({ ids: { application_id: id } }) {
				const { resource, tenantId } = found(await gates.findAsked(id), gateNotFound);
				if (resource === null) throw gateNotFound();
				const { application } = found(await oauthClients.findByResource(tenantId, resource), gateNotFound);
				const roles = await applicationRoles.listAll(tenantId, id);
				return {
					resource,
					resource_name: application.name,
					authorization_servers: [publicUrl],
					scopes_supported: scopesOfRoles(roles),
					bearer_methods_supported: ["header"],
				};
			},
		}),
	};
}
