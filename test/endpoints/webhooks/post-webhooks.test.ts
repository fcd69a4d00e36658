import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, getWebhook, PUBLIC_URL, WEBHOOKS } from "../../harness/webhooks.ts";

const body = { url: PUBLIC_URL, event_types: ["user.*"] };

describe("POST /api/v1/webhooks", () => {
	let service: TestService;
	let cast: Cast;
	const path = WEBHOOKS;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const post = (body: unknown) => problemOf(service, "POST", WEBHOOKS, body);

	describe("201", () => {
		it("creates an active webhook; only this answer holds the secret", async () => {
			const wanted = { url: PUBLIC_URL, description: " Billing ", event_types: ["user.*", "grant.removed"] };
			const answer = await service.call("POST", WEBHOOKS, { token: cast.admin, body: wanted });
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [201, "no-store"]);
			const { id, tenant_id, secret, secret_created_at, created_at, updated_at, created_by, ...rest } =
				answer.body.data;
			assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
			assert.deepEqual(rest, {
				url: PUBLIC_URL,
				description: "Billing",
				event_types: ["user.*", "grant.removed"],
				status: "active",
				disabled_reason: "",
				failing_since: null,
				last_delivered_at: null,
				secret_hint: secret.slice(-4),
				previous_secret_expires_at: null,
			});
			const me = (await service.call("GET", "/api/v1/users/me", { token: cast.admin })).body.data;
			assert.deepEqual([tenant_id, created_by], [me.tenant_id, me.id]);
			assert.deepEqual([secret_created_at, updated_at], [created_at, created_at]);
			const { secret: _, ...shown } = answer.body.data;
			assert.deepEqual(await getWebhook(service, id), shown);
			const [entry] = await auditOf(service, `webhook:${id}`);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.created", { host: "hooks.partner.example", event_types: ["user.*", "grant.removed"] }],
			);
			assert.ok(!service.logs().includes(secret));
		});

		it("writes the URL in canonical text, ignores what the service sets itself", async () => {
			const url = "HTTPS://Hooks.Partner.Example:443/a/../in?k=v";
			const made = await addWebhook(service, { url, status: "disabled", secret: "mine", tenant_id: "x" });
			assert.deepEqual([made.url, made.status], ["https://hooks.partner.example/in?k=v", "active"]);
			assert.notEqual(made.secret, "mine");
		});
	});

	describe("400", () => {
		it("takes https to the public Internet only, however an address is spelled", async () => {
			for (const url of [
				"http://hooks.partner.example/",
				"ftp://hooks.partner.example/",
				"/in",
				"not a url",
				"https://user:password@hooks.partner.example/",
				"https://hooks.partner.example/#part",
				"https://hooks.partner.example:0/",
				"https://127.0.0.1/",
				"https://127.1/",
				"https://0x7f000001/",
				"https://2130706433/",
				"https://0177.0.0.1/",
				"https://localhost:8443/",
				"https://api.localhost./",
				"https://10.0.0.7/",
				"https://169.254.169.254/latest/meta-data",
				"https://100.64.0.1/",
				"https://192.168.1.1/",
				"https://[::1]/",
				"https://[::ffff:127.0.0.1]/",
				"https://[::ffff:a00:1]/",
				"https://[fd00:ec2::254]/",
				"https://[fe80::1]/",
				"https://[64:ff9b::a00:1]/",
				"https://[2002:a00:1::]/",
				`https://hooks.partner.example/${"a".repeat(2_048)}`,
				7,
				null,
			]) {
				const { status, fields } = await post({ ...body, url });
				assert.deepEqual([status, fields], [400, ["url"]], String(url));
			}
		});

		it("names event types there are, at least one, each once", async () => {
			for (const event_types of [[], ["*"], ["user"], ["user.*", "user.*"], "user.*", [7], null]) {
				const { status, fields } = await post({ ...body, event_types });
				assert.equal(status, 400, JSON.stringify(event_types));
				assert.match(String(fields[0]), /^event_types/);
			}
		});

		it("names every field that is missing or too long", async () => {
			assert.deepEqual((await post({})).fields.sort(), ["event_types", "url"]);
			assert.deepEqual((await post({ ...body, description: "a".repeat(501) })).fields, ["description"]);
			assert.equal((await post({ ...body, description: "a".repeat(500) })).status, 201);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path, body));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path, body);
		});
	});

	describe("409", () => {
		it("creates 50 per tenant and no more, also simultaneously", async () => {
			const { total } = (await service.call("GET", WEBHOOKS, { token: cast.admin })).body;
			const answers = await Promise.all(Array.from({ length: 55 }, () => post(body)));
			const refused = answers.filter(({ status }) => status === 409);
			assert.equal(refused.length, 55 - (50 - total));
			assert.ok(refused.every(({ code }) => code === "webhook.too_many"));
			const other = await service.call("POST", WEBHOOKS, { token: cast.other.adminToken, body });
			assert.equal(other.status, 201);
		});
	});
});
