import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import { findWebhookEventType, WEBHOOK_EVENT_GROUPS, WEBHOOK_EVENT_TYPES, webhookPayload } from "./model.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("the catalogue of webhook events", () => {
	it("is the one docs/webhooks.md explains", () => {
		const rows = [...read("docs/webhooks.md").matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, type]) => type);
		assert.deepEqual(rows.toSorted(), WEBHOOK_EVENT_TYPES.toSorted());
	});

	it("has a group for every type, and none without one", () => {
		const groups = new Set(WEBHOOK_EVENT_TYPES.map((type) => `${type.split(".")[0]}.*`));
		assert.deepEqual([...groups].sort(), WEBHOOK_EVENT_GROUPS.toSorted());
	});

	it("knows no action by the name of what every object has", () => {
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

	it("is made by something: each of its actions stands in a use case", () => {
		const files = globSync("src/{features,app}/**/*.ts", { cwd: new URL("../../../", import.meta.url) });
		const sources = files.filter((file) => !/webhooks.|\.test\.ts$/.test(file)).map(read);
		for (const type of WEBHOOK_EVENT_TYPES) {
			if (type.startsWith("grant.") || type.startsWith("session.")) continue;
			assert.ok(
				sources.some((source) => source.includes(`"${type}"`)),
				type,
			);
		}
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

	it("holds ids, a status and names of fields, and nothing else an audit entry may say", () => {
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

	it("does without a target", () => {
		const payload = JSON.parse(webhookPayload("user.created", { ...entry, target: "" }, 0));
		assert.deepEqual(payload.data, { tenant_id: "t", actor: "user:a" });
	});
});
