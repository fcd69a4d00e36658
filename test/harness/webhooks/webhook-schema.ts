// Compares deliveries with the `webhooks` of the served OpenAPI document: every field is described, none is missing.

import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { followed } from "../service/openapi-schema.ts";
import type { TestService } from "../service/service.ts";
import type { ReceivedWebhook } from "./webhook-receiver.ts";

type Json = Readonly<Record<string, unknown>>;

interface WebhookOperation {
	readonly parameters: readonly unknown[];
	readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: unknown } } };
}

export interface EventSchemas {
	/** Fails for an undescribed field in the body, and for a missing header. */
	assertMatches(type: string, delivery: ReceivedWebhook): void;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export async function readEventSchemas(service: TestService): Promise<EventSchemas> {
	const { body: document } = await service.call("GET", "/openapi.json");
	const { webhooks } = document as unknown as { readonly webhooks: Json };
	const ajv = new Ajv2020({ allErrors: true, formats: { uuid: UUID, "date-time": TIME } });
	const validators = new Map<string, ValidateFunction>();
	return {
		assertMatches(type, { headers, body }) {
			const { post } = followed(document, webhooks[type]) as { readonly post: WebhookOperation };
			const { schema } = post.requestBody.content["application/json"];
			const validate = validators.get(type) ?? ajv.compile(closed(document, schema) as object);
			validators.set(type, validate);
			assert.ok(validate(JSON.parse(body)), `${type}: ${ajv.errorsText(validate.errors)} in ${body}`);
			for (const parameter of post.parameters) {
				const { name, schema: text } = followed(document, parameter);
				const isValid = ajv.validate(closed(document, text) as object, headers[String(name)]);
				assert.ok(isValid, `${type}: ${name} ${ajv.errorsText(ajv.errors)}`);
			}
		},
	};
}

/** The schema without references; objects accept only the fields that they describe. */
function closed(document: object, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((item) => closed(document, item));
	if (typeof value !== "object" || value === null) return value;
	const whole = followed(document, value);
	const inner = Object.fromEntries(
		Object.entries(whole).map(([key, each]) => [key, key === "enum" ? each : closed(document, each)]),
	);
	return inner.type === "object" ? { ...inner, additionalProperties: false } : inner;
}
