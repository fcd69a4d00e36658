import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import { findWebhookEventType, WEBHOOK_DELIVERY_TYPES, webhookPayload } from "./webhook-event.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the catalogue of webhook events", () => {
	it("matches docs/webhooks.md", () => {
		const rows = [...read("docs/webhooks.md").matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, type]) => type);
		assert.deepEqual(rows.toSorted(), WEBHOOK_DELIVERY_TYPES.toSorted());
	});

	it("does not find names of Object.prototype", () => {
		for (const action of [
			"constructor",
			"__proto__",
			"toString",
			"",
			"user.sign_in_failed",
			"webhook.created",
		])
			assert.equal(findWebhookEventType(action), undefined, action);
	});
});

describe("webhookPayload", () => {
	const entry = {
		tenantId: "t",
		actor: "user:a",
		action: "user.updated",
		target: "user:u",
		origin: { ...SYSTEM_ORIGIN, ip: "203.0.113.7" },
	} as const;

	it("holds only ids, a status and names of fields", () => {
		const details = {
			username: "amira",
			email: "amira@people.example",
			name: "Amira",
			api_key: "ak_1",
			ip_allowlist: ["203.0.113.7"],
			roles: ["admin"],
			fields: ["email", "status"],
			status: "disabled",
			app_id: "p",
			group_id: null,
		};
		const payload = JSON.parse(webhookPayload("user.updated", { ...entry, details }, 0));
		assert.deepEqual(payload, {
			type: "user.updated",
			timestamp: "1970-01-01T00:00:00.000Z",
			data: {
				tenant_id: "t",
				actor: "user:a",
				fields: ["email", "status"],
				status: "disabled",
				app_id: "p",
				user_id: "u",
			},
		});
	});

	it("works without a target", () => {
		const payload = JSON.parse(webhookPayload("user.created", { ...entry, target: "", details: {} }, 0));
		assert.deepEqual(payload.data, { tenant_id: "t", actor: "user:a" });
	});
});
