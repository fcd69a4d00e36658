// Requirements for every operation in the OpenAPI document, so that it suffices for generators and readers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { exampleIn } from "../../pages/docs/api.ts";
import type { OpenApi, Content as OpenApiContent } from "../../pages/docs/openapi.ts";
import { WEBHOOK_DELIVERY_TYPES } from "../../src/domain/webhook-event.ts";
import { errorGroups } from "../../src/http/openapi/openapi-errors.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { followed, wholeSchema } from "../harness/service/openapi-schema.ts";
import { describeMap, mapOfRoutes } from "../harness/service/routes.ts";
import { bare, readDocument, tableRows } from "./document.ts";
import { type Content, describeApi, type OpenApiDocument, operationsOf } from "./openapi-document.ts";

interface Body {
	readonly place: string;
	readonly content: Content;
}

const SIGNING = ["X-Tenant-ID", "X-App-ID", "X-API-Key", "X-Timestamp", "X-Nonce", "X-Signature"];

const document = fixture(() => describeApi());

/** The JSON bodies of requests and responses, without errors. */
function jsonBodies(): Body[] {
	return operationsOf(document).flatMap(([name, { requestBody, responses }]) => {
		const successes = Object.entries(responses).filter(([status]) => /^2/.test(status));
		const answers = successes.map(([status, response]) => [
			`${name} ${status}`,
			followed(document, response) as { content?: Record<string, Content> },
		]);
		const bodies = [[`${name} body`, requestBody], ...answers] as [
			string,
			{ content?: Record<string, Content> },
		][];
		return bodies.flatMap(([place, body]) => {
			const content = body?.content?.["application/json"];
			return content === undefined ? [] : [{ place, content }];
		});
	});
}

/** The error responses of an operation with their problem schema. */
function errorsOf(responses: Readonly<Record<string, unknown>>): [string, Record<string, unknown>][] {
	return Object.entries(responses)
		.filter(([status]) => /^(?:[45]|default)/.test(status))
		.map(([status, response]) => [status, followed(document, response)]);
}

describe("openapi.json", () => {
	it("is a valid OpenAPI 3.1 document", async () => {
		assert.equal(document.openapi, "3.1.0");
		const validation = await new Validator().validate({ ...structuredClone(document) });
		assert.deepEqual([validation.valid, validation.errors], [true, undefined]);
	});

	it("names the schema of every JSON body", () => {
		const unnamed = jsonBodies().filter(({ content }) => content.schema.$ref === undefined);
		assert.deepEqual(
			unnamed.map(({ place }) => place),
			[],
		);
	});

	it("gives an example of every body, itself or by its fields, and each fits its schema", () => {
		const ajv = new Ajv2020({ strict: false, validateFormats: false });
		ajv.addSchema(document, "api");
		const problems = jsonBodies().flatMap(({ place, content: { schema, examples } }) => {
			if (place.endsWith(" body") && examples === undefined) return [`${place} has no example`];
			const check = ajv.compile({ $ref: `api${schema.$ref}` });
			if (check(exampleIn(document as OpenApi, { schema, examples } as OpenApiContent))) return [];
			const [{ instancePath, message } = {}] = check.errors ?? [];
			return [
				`${place}: the example of ${instancePath} ${message}; give the field \`examples\`, or its name a value in src/app/api-description.ts`,
			];
		});
		assert.deepEqual(problems, []);
	});

	it("describes every parameter and gives an example", () => {
		const problems = operationsOf(document).flatMap(([name, { parameters = [] }]) =>
			parameters
				.map((parameter) => followed(document, parameter))
				.filter(
					({ description, schema, example }) =>
						typeof description !== "string" ||
						(example === undefined && !Array.isArray((schema as { examples?: unknown }).examples)),
				)
				.map((parameter) => `${name}: give the schema of ${parameter.name} a description`),
		);
		assert.deepEqual(problems, []);
	});

	it("has a description for every tag, and no tag without operations", () => {
		const used = new Set(operationsOf(document).flatMap(([, operation]) => operation.tags));
		assert.deepEqual(document.tags.map(({ name }) => name).sort(), [...used].sort());
		for (const { name, description } of document.tags) assert.match(description, /\.$/, name);
	});

	it("describes the six headers in the security scheme of signed operations, and in no operation", () => {
		const { description } = document.components.securitySchemes?.signed ?? {};
		for (const header of SIGNING) assert.ok(String(description).includes(`\`${header}\``), header);
		const signed = operationsOf(document).filter(([, { security }]) =>
			security.some((scheme) => "signed" in scheme),
		);
		assert.ok(signed.length > 5);
		for (const [name, { parameters = [] }] of signed)
			assert.deepEqual(
				parameters
					.map((each) => followed(document, each))
					.filter((each) => SIGNING.includes(String(each.name))),
				[],
				name,
			);
	});

	it("names a contact", () => {
		assert.match(document.info.contact.url, /^https:/);
	});

	it("has both forms of every error, and lists the closed set of its codes", async () => {
		for (const route of await mapOfRoutes()) {
			const name = `${route.method} ${route.path}`;
			const { responses } = document.paths[route.path]?.[route.method.toLowerCase()] ?? {};
			for (const [status, response] of errorsOf(responses ?? {})) {
				if (status === "503" && name === "GET /health") continue;
				const content = response.content as Record<string, Content>;
				assert.deepEqual(Object.keys(content), ["application/json", "application/problem+json"], name);
				const listed = String(response.description).split(", ");
				const codes = errorGroups(route).get(status) ?? [];
				assert.deepEqual(
					listed,
					codes.map((code) => `\`${code}\``),
					`${name} ${status}`,
				);
			}
		}
	});

	it("describes every mounted endpoint of the OpenID provider, and its errors in the form of OAuth", async () => {
		const mounts = describeMap().oauth.filter(({ method }) => method !== "OPTIONS");
		for (const { method, path, operation } of mounts) assert.ok(operation, `${method} ${path}`);
		const described = operationsOf(document).filter(([, { tags }]) => tags.includes("OAuth"));
		assert.equal(described.length, mounts.length);
		for (const [name, { responses }] of described)
			for (const [status, response] of errorsOf(responses)) {
				const { schema } = (response.content as Record<string, Content>)["application/json"] ?? {};
				assert.equal(schema?.$ref, "#/components/schemas/OAuthError", `${name} ${status}`);
			}
	});

	it("has Retry-After with 429 and 503, and RateLimit-* with 429", () => {
		for (const [name, { responses }] of operationsOf(document))
			for (const [status, { headers = {} }] of errorsOf(responses)) {
				const names = Object.keys(headers as object);
				const isHealth = name === "GET /health" && status === "503";
				if (/429|503|default/.test(status) && !isHealth) assert.ok(names.includes("Retry-After"), name);
				if (status === "429") assert.equal(names.filter((each) => each.startsWith("RateLimit-")).length, 3);
			}
	});

	it("has every webhook event with its payload and the headers of its signature", () => {
		assert.deepEqual(Object.keys(document.webhooks).sort(), WEBHOOK_DELIVERY_TYPES.toSorted());
		const documented = tableRows(readDocument("docs/webhooks.md")).map(([type, when]) => [
			bare(type ?? ""),
			when,
		]);
		assert.deepEqual(
			Object.entries(document.webhooks)
				.map(([type, { summary }]) => [type, summary])
				.sort(),
			documented.filter(([type]) => type !== undefined && type in document.webhooks).sort(),
		);
		for (const [type, item] of Object.entries(document.webhooks)) {
			const { post } = followed(document, item) as unknown as {
				post: OpenApiDocument["paths"][string][string];
			};
			const names = (post.parameters ?? []).map((each) => followed(document, each).name);
			assert.deepEqual(names, ["webhook-id", "webhook-timestamp", "webhook-signature"], type);
			const payload = wholeSchema(document, post.requestBody?.content["application/json"]?.schema);
			assert.ok(((payload.properties.type?.enum ?? []) as string[]).includes(type), type);
		}
	});
});
