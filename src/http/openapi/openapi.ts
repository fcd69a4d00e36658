// Builds the OpenAPI 3.1 document from the routes and schemas of the running service.

import type { Route } from "../describe/guard.ts";
import type { Json } from "../describe/json-schema.ts";
import type { DescribedMount } from "../describe/mount-description.ts";
import type { ObjectSchema, Schema } from "../describe/schema.ts";
import { SESSION_SCHEME } from "../run/browser-session.ts";
import { createComponents, inlineSingles, nameSchema } from "./openapi-components.ts";
import { addErrorParts } from "./openapi-errors.ts";
import type { ExampleValues } from "./openapi-example.ts";
import { addMountedOperations, MOUNT_TAG } from "./openapi-mounts.ts";
import { type OperationContext, operationOf, parameter } from "./openapi-operation.ts";

/** What the document contains in addition to the routes. */
export interface ApiDescription {
	readonly title: string;
	readonly description: string;
	/** By name of the tag; `guide` is a path of the service. */
	readonly tags: Readonly<Record<string, { readonly description: string; readonly guide?: string }>>;
	readonly examples: ExampleValues;
	/** By operation: optional fields without which an endpoint refuses the example of its body. */
	readonly sentFields: Readonly<Record<string, readonly string[]>>;
	/** The payloads that webhooks receive, each with its events by type. */
	readonly webhooks: readonly WebhookDescription[];
	/** The headers of a delivery, by name. */
	readonly webhookHeaders: Readonly<Record<string, Schema<string>>>;
}

export interface WebhookDescription {
	/** With a `title`. */
	readonly payload: ObjectSchema<unknown>;
	/** What happened, by event type. */
	readonly events: Readonly<Record<string, string>>;
}

export interface Service {
	readonly version: string;
	readonly publicUrl: string;
	readonly routes: readonly Route[];
	readonly mounts: readonly DescribedMount[];
	readonly about: ApiDescription;
}

/** The members that selections of the document read. */
export interface OpenApi {
	readonly paths: Readonly<Record<string, Json>>;
	readonly components: Readonly<Record<string, Json>>;
}

/**
 * The whole API in one document. The tags of its operations let generators select a part.
 *
 * @throws Error if two schemas have the same title.
 */
export function openApiDocument({ version, publicUrl, routes, mounts, about }: Service): OpenApi {
	const components = createComponents(about.examples);
	addErrorParts(components);
	const context: OperationContext = {
		components,
		sentFields: about.sentFields,
		routes,
	};
	const paths: Record<string, Json> = {};
	for (const route of routes) {
		paths[route.path] ??= {};
		Object.assign(paths[route.path] as Json, { [route.method.toLowerCase()]: operationOf(context, route) });
	}
	addMountedOperations(context, mounts, paths);
	const used = new Set<string>([...routes.map(({ tag }) => tag), MOUNT_TAG]);
	const document = {
		openapi: "3.1.0",
		info: {
			title: about.title,
			version,
			description: about.description,
			contact: { name: "The operator of this installation", url: publicUrl },
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: publicUrl }],
		externalDocs: { description: "The documentation of this installation.", url: `${publicUrl}/docs/api` },
		tags: Object.entries(about.tags)
			.filter(([name]) => used.has(name))
			.map(([name, { description, guide }]) => ({
				name,
				description,
				...(guide === undefined ? {} : { externalDocs: { url: `${publicUrl}${guide}` } }),
			})),
		paths,
		webhooks: webhooksOf(context, about),
		components: { securitySchemes: SECURITY_SCHEMES, ...components.parts },
	};
	return inlineSingles(document, components);
}

function webhooksOf(context: OperationContext, { webhooks, webhookHeaders }: ApiDescription): Json {
	const described: Json = {};
	for (const { payload, events } of webhooks) {
		const schema = nameSchema(context.components, payload, "webhook", "Body");
		const name = String(payload.title);
		const item = context.components.add("pathItems", name, {
			post: {
				operationId: `receive${name}`,
				summary: `Receive a ${name}`,
				security: [],
				parameters: Object.entries(webhookHeaders).map(([header, text]) =>
					parameter(context, [header], { name: header, in: "header", required: true, schema: text }),
				),
				requestBody: {
					required: true,
					content: { "application/json": { schema } },
				},
				responses: {
					"2XX": { description: "Received." },
					410: { description: "Permanently gone: the webhook is disabled." },
					default: { description: "Not received. The delivery is retried for three days." },
				},
			},
		});
		for (const [type, summary] of Object.entries(events)) described[type] = { ...item, summary };
	}
	return described;
}

const SECURITY_SCHEMES: Json = {
	bearer: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "JWT",
		description: "Access token from sign-in (RFC9068), verified as RFC8725 requires.",
	},
	adminKey: { type: "http", scheme: "bearer", description: "Admin key, `lk_…`. See docs/automation.md." },
	sessionCookie: SESSION_SCHEME,
	oauthClient: {
		type: "http",
		scheme: "basic",
		description: "The credentials of an OAuth client, or in the form: see docs/openid.md.",
	},
	oauthToken: { type: "http", scheme: "bearer", description: "Access token of an OAuth client." },
	signed: {
		type: "apiKey",
		in: "header",
		name: "X-Signature",
		description: `Six headers, each once, over HTTPS. No generator computes them: see docs/signing.md for code.

- \`X-Tenant-ID\`, \`X-App-ID\`: the client's \`tenant_id\` and \`app_id\`
- \`X-API-Key\`: the client's \`api_key\`
- \`X-Timestamp\`: Unix time in seconds, ten digits, at most 300 s from the service's clock
- \`X-Nonce\`: a new value for each request, 16 to 128 of \`[A-Za-z0-9._~-]\`
- \`X-Signature\`: HMAC-SHA256 of the string to sign, in hex; the key is the Secret as shown, including \`sk_\``,
	},
};
