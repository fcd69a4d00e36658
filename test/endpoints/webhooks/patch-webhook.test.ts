import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, getWebhook, PUBLIC_URL, WEBHOOKS } from "../../harness/webhooks.ts";

describe("PATCH /api/v1/webhooks/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${WEBHOOKS}/${(await addWebhook(service)).id}`;
	});
	after(() => service.stop());

	describe("200", () => {
		it("changes the given fields, and audits them without the URL's path", async () => {
			const { secret: _, ...made } = await addWebhook(service);
			service.clock.advance(1_000);
			const url = "https://other.partner.example/in?key=private";
			const body = { url, description: "Moved", event_types: ["grant.*"] };
			const answer = await service.call("PATCH", `${WEBHOOKS}/${made.id}`, { token: cast.admin, body });
			assert.equal(answer.status, 200);
			const { updated_at, ...rest } = answer.body.data;
			const { updated_at: before, ...same } = made;
			assert.deepEqual(rest, { ...same, ...body });
			assert.ok(updated_at > before);
			assert.deepEqual(await getWebhook(service, made.id), answer.body.data);
			const entry = (await auditOf(service, `webhook:${made.id}`)).at(-1);
			assert.deepEqual(entry?.details, {
				fields: ["url", "description", "event_types"],
				host: "other.partner.example",
				event_types: ["grant.*"],
			});
		});

		it("disables and enables by an admin", async () => {
			const { id } = await addWebhook(service);
			for (const [status, disabled_reason] of [
				["disabled", "admin"],
				["active", ""],
			]) {
				const body = { status };
				const { body: answer } = await service.call("PATCH", `${WEBHOOKS}/${id}`, {
					token: cast.admin,
					body,
				});
				assert.deepEqual([answer.data.status, answer.data.disabled_reason], [status, disabled_reason]);
			}
		});

		it("writes nothing when nothing changes", async () => {
			const { id, updated_at } = await addWebhook(service);
			service.clock.advance(1_000);
			for (const body of [{}, { url: PUBLIC_URL, status: "active" }, { id: "x", secret: "whsec_" }]) {
				const answer = await service.call("PATCH", `${WEBHOOKS}/${id}`, { token: cast.admin, body });
				assert.deepEqual([answer.status, answer.body.data.updated_at], [200, updated_at]);
			}
			assert.equal((await auditOf(service, `webhook:${id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the field", async () => {
			for (const [body, field] of [
				[{ url: "https://10.0.0.1/" }, "url"],
				[{ url: "http://hooks.partner.example/" }, "url"],
				[{ event_types: [] }, "event_types"],
				[{ status: "gone" }, "status"],
				[{ description: null }, "description"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path, body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path, {}));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PATCH", path, {});
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${WEBHOOKS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${WEBHOOKS}/x` },
					{ token: cast.other.adminToken, path },
				],
				"PATCH",
				"webhook.not_found",
				{},
			));
	});
});
