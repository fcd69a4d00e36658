// What SCIM publishes about itself (RFC 7643, sections 5 to 7).

import { RESOURCES_PER_PAGE } from "../../../domain/directory.ts";
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from "./scim-person.ts";

/** By the segment of the path. */
export const RESOURCE_TYPES = { Users: "User", Groups: "Group" } as const;

/** @param base the URL of the directory */
export function serviceProviderConfig(base: string) {
	return {
		schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
		documentationUri: `${new URL(base).origin}/docs/directories`,
		patch: { supported: true },
		bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
		filter: { supported: true, maxResults: RESOURCES_PER_PAGE },
		changePassword: { supported: false },
		sort: { supported: false },
		etag: { supported: false },
		authenticationSchemes: [
			{
				type: "oauthbearertoken",
				name: "Bearer token",
				description: "The token of the directory, or a client-credentials token of its client",
				primary: true,
			},
		],
		meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
	};
}

export function resourceTypes(base: string) {
	const type = (endpoint: keyof typeof RESOURCE_TYPES, schema: string, extensions: readonly string[]) => ({
		schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
		id: RESOURCE_TYPES[endpoint],
		name: RESOURCE_TYPES[endpoint],
		endpoint: `/${endpoint}`,
		schema,
		schemaExtensions: extensions.map((name) => ({ schema: name, required: false })),
		meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes` },
	});
	return [type("Users", USER_SCHEMA, [ENTERPRISE_SCHEMA]), type("Groups", GROUP_SCHEMA, [])];
}

type Type = "string" | "boolean" | "complex";

const attribute = (name: string, type: Type, more: object = {}) => ({
	name,
	type,
	multiValued: false,
	required: false,
	caseExact: false,
	mutability: "readWrite",
	returned: "default",
	uniqueness: "none",
	...more,
});

const valueAttributes = [
	attribute("value", "string"),
	attribute("type", "string"),
	attribute("primary", "boolean"),
];

const schema = (id: string, name: string, attributes: readonly object[]) => ({
	schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
	id,
	name,
	attributes,
});

/** Other attributes are stored and returned as they are given. */
export const SCHEMAS = [
	schema(USER_SCHEMA, "User", [
		attribute("userName", "string", { required: true, uniqueness: "server" }),
		attribute("externalId", "string", { caseExact: true, uniqueness: "server" }),
		attribute("displayName", "string"),
		attribute("name", "complex", {
			subAttributes: ["formatted", "givenName", "familyName"].map((name) => attribute(name, "string")),
		}),
		attribute("emails", "complex", { multiValued: true, subAttributes: valueAttributes }),
		attribute("locale", "string"),
		attribute("active", "boolean"),
	]),
	schema(ENTERPRISE_SCHEMA, "EnterpriseUser", [
		attribute("department", "string"),
		attribute("manager", "complex", { subAttributes: [attribute("value", "string", { caseExact: true })] }),
	]),
	schema(GROUP_SCHEMA, "Group", [
		attribute("displayName", "string", { required: true, uniqueness: "server" }),
		attribute("externalId", "string", { caseExact: true }),
		attribute("members", "complex", {
			multiValued: true,
			subAttributes: [attribute("value", "string", { caseExact: true, mutability: "immutable" })],
		}),
	]),
];
