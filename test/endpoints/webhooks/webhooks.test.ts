// Webhooks: list, create, read, change, delete, rotate the secret.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addCast, problemOf } from "../../harness/access/applications.ts";
import { auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { addWebhook, getWebhook, PUBLIC_URL, WEBHOOKS } from "../../harness/webhooks/webhooks.ts";

const body = { url: PUBLIC_URL, event_types: ["user.*"] };
const REFUSED_TYPES = [
	[],
	["*"],
	["user"],
	["user.*", "user.*"],
	["webhook.test"],
	["webhook.*"],
	"user.*",
	[7],
	null,
];

const service = testService();
const cast = fixture(() => addCast(service));

describe("GET /api/v1/webhooks", () => {
	describe("200", () => {
		it("returns the webhooks of the tenant in pages, newest first, without secrets", async () => {
			const before = await service.callAsAdmin("GET", WEBHOOKS);
			const ids: string[] = [];
			for (let count = 0; count < 3; count++) ids.push((await addWebhook(service)).id);
			const response = await service.call("GET", `${WEBHOOKS}?page=1&page_size=2`, {
				token: cast.auditor.token,
			});
			assert.equal(response.status, 200);
			const { data, ...counts } = response.body;
			assert.deepEqual(counts, { total: before.body.total + 3, page: 1, page_size: 2 });
			assert.deepEqual(
				data.map(({ id }) => id),
				[ids[2], ids[1]],
			);
			assert.ok(!JSON.stringify(data).includes("whsec_"));
			const other = await service.call("GET", WEBHOOKS, { token: cast.other.adminToken });
			assert.equal(other.body.total, 0);
		});

		it("returns first those that fail and those that the service disabled", async () => {
			const [failing, gone, off, newest] = [
				await addWebhook(service),
				await addWebhook(service),
				await addWebhook(service),
				await addWebhook(service),
			].map(({ id }) => id);
			await using engine = await service.openDatabase();
			await engine.queries.run(
				"UPDATE webhooks SET failing_since = 1 WHERE id IN ($1, $2)",
				failing ?? "",
				off ?? "",
			);
			await engine.queries.run(
				"UPDATE webhooks SET status = 'disabled', disabled_reason = 'gone' WHERE id = $1",
				gone ?? "",
			);
			const body = { status: "disabled" };
			await service.asAdmin("PATCH", `${WEBHOOKS}/${off}`, body);
			const { data } = (await service.callAsAdmin("GET", WEBHOOKS)).body;
			assert.deepEqual(
				data.slice(0, 4).map(({ id }) => id),
				[gone, failing, newest, off],
			);
			for (const id of [failing, gone]) await service.asAdmin("DELETE", `${WEBHOOKS}/${id}`);
		});

		it("filters by status", async () => {
			const [{ id: active }, { id: disabled }] = [await addWebhook(service), await addWebhook(service)];
			const body = { status: "disabled" };
			await service.asAdmin("PATCH", `${WEBHOOKS}/${disabled}`, body);
			const response = await service.callAsAdmin("GET", `${WEBHOOKS}?status=disabled`);
			const ids = response.body.data.map(({ id }) => id);
			assert.deepEqual([ids.includes(disabled), ids.includes(active)], [true, false]);
		});
	});
});

describe("POST /api/v1/webhooks", () => {
	const post = (body: unknown) => problemOf(service, "POST", WEBHOOKS, body);

	describe("201", () => {
		it("creates an active webhook, and shows the secret in this response only", async () => {
			const fields = { url: PUBLIC_URL, description: " Billing ", event_types: ["user.*", "grant.removed"] };
			const response = await service.callAsAdmin("POST", WEBHOOKS, { body: fields });
			assert.deepEqual([response.status, response.headers["cache-control"]], [201, "no-store"]);
			const { id, tenant_id, secret, secret_created_at, created_at, updated_at, created_by, ...rest } =
				response.body.data;
			assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
			assert.deepEqual(rest, {
				url: PUBLIC_URL,
				description: "Billing",
				event_types: ["user.*", "grant.removed"],
				status: "active",
				disabled_reason: "",
				failing: false,
				failing_since: null,
				recent_attempts: 0,
				recent_failures: 0,
				last_delivered_at: null,
				secret_hint: secret.slice(-4),
				previous_secret_expires_at: null,
				managed_by: null,
			});
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			assert.deepEqual([tenant_id, created_by], [me.tenant_id, me.id]);
			assert.deepEqual([secret_created_at, updated_at], [created_at, created_at]);
			const { secret: _, ...shown } = response.body.data;
			assert.deepEqual(await getWebhook(service, id), shown);
			const [entry] = await auditOf(service, `webhook:${id}`);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.created", { host: "hooks.partner.example", event_types: ["user.*", "grant.removed"] }],
			);
			assert.ok(!service.logs().includes(secret));
		});

		it("stores the canonical URL, and ignores server-assigned fields", async () => {
			const url = "HTTPS://Hooks.Partner.Example:443/a/../in?k=v";
			const created = await addWebhook(service, { url, status: "disabled", secret: "mine", tenant_id: "x" });
			assert.deepEqual([created.url, created.status], ["https://hooks.partner.example/in?k=v", "active"]);
			assert.notEqual(created.secret, "mine");
		});
	});

	describe("400", () => {
		it("accepts only HTTPS URLs on the public Internet, however an address is spelled", async () => {
			for (const url of [
				"http://hooks.partner.example/",
				"ftp://hooks.partner.example/",
				"/in",
				"not a url",
				"https://user:password@hooks.partner.example/",
				"https://hooks.partner.example/#part",
				"https://hooks.partner.example:0/",
				"https://127.1/",
				"https://0x7f000001/",
				"https://localhost:8443/",
				"https://api.localhost./",
				"https://10.0.0.7/",
				"https://[::ffff:a00:1]/",
			]) {
				const { status, fields } = await post({ ...body, url });
				assert.deepEqual([status, fields], [400, ["url"]], String(url));
			}
		});

		it("accepts only existing event types, at least one, each once, and no tests", async () => {
			for (const event_types of REFUSED_TYPES) {
				const { status, fields } = await post({ ...body, event_types });
				assert.equal(status, 400, JSON.stringify(event_types));
				assert.match(String(fields[0]), /^event_types/);
			}
		});
	});

	describe("409", () => {
		it("creates at most 50 webhooks of a tenant, even for concurrent requests", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const headers = { accept: "application/problem+json" };
			const create = () => service.call<{ code: string }>("POST", WEBHOOKS, { token, body, headers });
			for (let count = 0; count < 45; count++) assert.equal((await create()).status, 201);
			const responses = await Promise.all(Array.from({ length: 10 }, create));
			const refused = responses.filter(({ status }) => status === 409);
			assert.equal(refused.length, 5);
			assert.ok(refused.every(({ body: { code } }) => code === "webhook.too_many"));
			assert.equal((await post(body)).status, 201);
		});
	});
});

describe("GET /api/v1/webhooks/{id}", () => {
	describe("200", () => {
		it("shows the webhook to admins and auditors, without its secret", async () => {
			const { secret, ...shown } = await addWebhook(service);
			for (const token of [cast.admin, cast.auditor.token]) {
				const response = await service.call("GET", `${WEBHOOKS}/${shown.id}`, { token });
				assert.deepEqual([response.status, response.body.data], [200, shown]);
				assert.ok(!JSON.stringify(response.body).includes(secret));
			}
		});
	});
});

describe("PATCH /api/v1/webhooks/{id}", () => {
	let path: string;
	before(async () => {
		path = `${WEBHOOKS}/${(await addWebhook(service)).id}`;
	});

	describe("200", () => {
		it("changes the given fields, and audits them without the URL's path", async () => {
			const { secret: _, ...created } = await addWebhook(service);
			service.clock.advance(1_000);
			const url = "https://other.partner.example/in?key=private";
			const body = { url, description: "Moved", event_types: ["grant.*"] };
			const response = await service.callAsAdmin("PATCH", `${WEBHOOKS}/${created.id}`, { body });
			assert.equal(response.status, 200);
			const { updated_at, ...rest } = response.body.data;
			const { updated_at: before, ...same } = created;
			assert.deepEqual(rest, { ...same, ...body });
			assert.ok(updated_at > before);
			assert.deepEqual(await getWebhook(service, created.id), response.body.data);
			const entry = (await auditOf(service, `webhook:${created.id}`)).at(-1);
			assert.deepEqual(entry?.details, {
				fields: ["url", "description", "event_types"],
				host: "other.partner.example",
				event_types: ["grant.*"],
			});
		});

		it("disables and enables the webhook", async () => {
			const { id } = await addWebhook(service);
			for (const [status, disabled_reason] of [
				["disabled", "admin"],
				["active", ""],
			]) {
				const body = { status };
				const { body: response } = await service.callAsAdmin("PATCH", `${WEBHOOKS}/${id}`, { body });
				assert.deepEqual([response.data.status, response.data.disabled_reason], [status, disabled_reason]);
			}
		});

		it("writes nothing if nothing changes", async () => {
			const { id, updated_at } = await addWebhook(service);
			service.clock.advance(1_000);
			for (const body of [{}, { url: PUBLIC_URL, status: "active" }, { id: "x", secret: "whsec_" }]) {
				const response = await service.callAsAdmin("PATCH", `${WEBHOOKS}/${id}`, { body });
				assert.deepEqual([response.status, response.body.data.updated_at], [200, updated_at]);
			}
			assert.equal((await auditOf(service, `webhook:${id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			for (const [body, field] of [
				[{ url: "https://10.0.0.1/" }, "url"],
				[{ url: "http://hooks.partner.example/" }, "url"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path, body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});
});

describe("DELETE /api/v1/webhooks/{id}", () => {
	describe("204", () => {
		it("deletes the webhook, and audits it", async () => {
			const { id } = await addWebhook(service);
			const remove = () => service.callAsAdmin("DELETE", `${WEBHOOKS}/${id}`);
			const response = await remove();
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal((await remove()).status, 404);
			const entry = (await auditOf(service, `webhook:${id}`)).at(-1);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.deleted", { host: "hooks.partner.example" }],
			);
		});
	});
});

describe("POST /api/v1/webhooks/{id}/rotate-secret", () => {
	describe("200", () => {
		it("sets a new secret, shown once, and signs with both for a day by default", async () => {
			const webhook = await addWebhook(service);
			const response = await service.callAsAdmin("POST", `${WEBHOOKS}/${webhook.id}/rotate-secret`);
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			const { secret, ...shown } = response.body.data;
			assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
			assert.notEqual(secret, webhook.secret);
			assert.equal(shown.secret_hint, secret.slice(-4));
			const overlap =
				Date.parse(String(shown.previous_secret_expires_at)) - Date.parse(shown.secret_created_at);
			assert.equal(overlap, 86_400_000);
			assert.deepEqual(await getWebhook(service, webhook.id), shown);
			assert.deepEqual(await lastAuditOf(service, `webhook:${webhook.id}`), [
				"webhook.secret_rotated",
				{ previous_secret_expires_at: shown.previous_secret_expires_at },
			]);
		});

		it("invalidates the old secret at once without an overlap", async () => {
			const { id } = await addWebhook(service);
			const body = { overlap_seconds: 0 };
			const response = await service.callAsAdmin("POST", `${WEBHOOKS}/${id}/rotate-secret`, { body });
			assert.equal(response.body.data.previous_secret_expires_at, null);
		});

		it("serves twenty concurrent requests one after the other", async () => {
			const { id } = await addWebhook(service);
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => service.callAsAdmin("POST", `${WEBHOOKS}/${id}/rotate-secret`)),
			);
			assert.equal(new Set(responses.map(({ body }) => body.data.secret)).size, 20);
			assert.equal((await auditOf(service, `webhook:${id}`)).length, 21);
		});
	});
});
