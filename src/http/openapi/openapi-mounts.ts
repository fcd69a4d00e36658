// Describes mounted endpoints, which have the formats of OAuth, as operations of the OpenAPI document.

import type { Json } from "../describe/json-schema.ts";
import type { DescribedMount, MountDescription } from "../describe/mount-description.ts";
import { type ObjectSchema, object, optional, plain } from "../describe/schema.ts";
import { headerReferences, nameSchema, pascal } from "./openapi-components.ts";
import { LIMITED } from "./openapi-errors.ts";
import { requestExample } from "./openapi-example.ts";
import { type OperationContext, parameter } from "./openapi-operation.ts";

export const MOUNT_TAG = "OAuth";

/** Adds the operations to `paths`. */
export function addMountedOperations(
	context: OperationContext,
	mounts: readonly DescribedMount[],
	paths: Record<string, Json>,
): void {
	for (const { method, path, operation } of mounts)
		if (operation !== undefined)
			paths[path] = { ...paths[path], [method.toLowerCase()]: describe(context, method, path, operation) };
}

function describe(context: OperationContext, method: string, path: string, mount: MountDescription): Json {
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
	const parameters = [
		...inPath.map((name) =>
			parameter(context, [pascal(`${mount.name} ${name}`)], {
				name,
				in: "path",
				required: true,
				schema: plain("From the page that continues the sign-in."),
			}),
		),
		...(method === "GET" && mount.parameters !== undefined
			? [inQuery(context, mount.name, mount.parameters)]
			: []),
	];
	return {
		operationId: mount.name,
		summary: mount.summary,
		description: mount.description,
		tags: [MOUNT_TAG],
		security: mount.security.map((scheme) => (scheme === "none" ? {} : { [scheme]: [] })),
		...(parameters.length > 0 && { parameters }),
		...(method === "POST" && mount.parameters !== undefined && { requestBody: form(context, mount) }),
		responses: { [mount.success.status]: success(context, mount), ...refusals(context, mount) },
	};
}

/** All parameters as one object, so that they share a schema with the form. */
function inQuery(
	{ components }: OperationContext,
	operation: string,
	parameters: ObjectSchema<unknown>,
): Json {
	return {
		name: "parameters",
		in: "query",
		required: parameters.required.length > 0,
		style: "form",
		explode: true,
		description: "Each field is a parameter of the query.",
		schema: nameSchema(components, parameters, operation, "Body"),
		example: requestExample(parameters, components.examples),
	};
}

function form({ components, sentFields }: OperationContext, { name, parameters }: MountDescription): Json {
	if (parameters === undefined) return {};
	const example = { value: requestExample(parameters, components.examples, sentFields[name]) };
	const schema = nameSchema(components, parameters, name, "Body");
	return {
		required: true,
		content: { "application/x-www-form-urlencoded": { schema, examples: { example } } },
	};
}

function success(
	{ components }: OperationContext,
	{ name, success: { status, description, schema } }: MountDescription,
): Json {
	if (schema === undefined) return { description, ...headerReferences(status === 303 ? ["Location"] : []) };
	const content = { "application/json": { schema: nameSchema(components, schema, name, "Response") } };
	return { description, content };
}

const OAUTH_ERROR = object(
	{
		error: plain({ description: "The code, as in RFC 6749.", examples: ["invalid_request"] }),
		error_description: optional(plain("What went wrong.")),
	},
	{ title: "OAuthError" },
);

/** The refusals in the form of OAuth; a browser that navigates gets a page instead. */
function refusals({ components }: OperationContext, { name, security }: MountDescription): Json {
	const schema = nameSchema(components, OAUTH_ERROR, name, "Response");
	const refusal = (status: string, description: string, headers: readonly string[]): [string, Json] => {
		const content = { "application/json": { schema } };
		const response = { description, headers: {}, ...headerReferences(headers), content };
		return [status, components.share("responses", [`oauth.${status}`], response)];
	};
	return Object.fromEntries([
		refusal("400", "An invalid request, grant, scope, or resource.", []),
		...(security.length === 0
			? []
			: [refusal("401", "`invalid_client` or `invalid_token`.", ["WWW-Authenticate"])]),
		refusal("429", "Too many requests.", LIMITED),
		refusal("default", "`temporarily_unavailable` (503), or another failure.", ["Retry-After"]),
	]);
}
