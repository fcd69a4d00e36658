import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import {
	addProvider,
	IDENTITY_PROVIDERS,
	PROVIDER_SECRET,
	providerBody,
} from "../../harness/identity-providers.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/identity-providers", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const post = (fields: Record<string, unknown>) =>
		problemOf(service, "POST", IDENTITY_PROVIDERS, providerBody(fields));

	describe("201", () => {
		it("creates an enabled provider without sign-up; the secret is never shown", async () => {
			const body = providerBody({ provider: "corp", display_name: " Corp " });
			const answer = await service.call("POST", IDENTITY_PROVIDERS, { token: cast.admin, body });
			assert.equal(answer.status, 201);
			const { id, tenant_id, created_by, client_secret_set_at, created_at, updated_at, ...rest } =
				answer.body.data;
			assert.deepEqual(rest, {
				provider: "corp",
				kind: "oidc",
				display_name: "Corp",
				client_id: "latchkey",
				issuer: "https://login.partner.example",
				enabled: true,
				sign_up: false,
				callback_url: "https://localhost:8443/api/v1/auth/third-party/corp/callback",
			});
			const me = (await service.call("GET", "/api/v1/users/me", { token: cast.admin })).body.data;
			assert.deepEqual([tenant_id, created_by], [me.tenant_id, me.id]);
			assert.deepEqual([client_secret_set_at, updated_at], [created_at, created_at]);
			const events = await auditOf(service, `identity_provider:${id}`);
			assert.deepEqual(
				events.map(({ action, details }) => [action, details]),
				[
					[
						"identity_provider.created",
						{
							provider: "corp",
							kind: "oidc",
							issuer: "https://login.partner.example",
							enabled: true,
							sign_up: false,
						},
					],
				],
			);
			assert.ok(!JSON.stringify([answer.body, events, service.logs()]).includes(PROVIDER_SECRET));
		});

		it("keeps the secret sealed, bound to its row", async () => {
			const { id } = await addProvider(service);
			const engine = await service.openDatabase();
			const row = await engine.queries.one<Record<string, unknown>>(
				"SELECT * FROM identity_providers WHERE id = $1",
				id,
			);
			await engine.close();
			assert.match(String(row?.client_secret_sealed), /^v1\./);
			assert.ok(!JSON.stringify(row).includes(PROVIDER_SECRET));
		});

		it("takes every kind, with an issuer where it has one", async () => {
			for (const kind of ["google", "apple", "wechat", "dingtalk"])
				await addProvider(service, { provider: kind, kind, issuer: null });
			for (const kind of ["microsoft", "github", "gitlab", "feishu"]) {
				await addProvider(service, { kind, issuer: null });
				const issuer = `https://${kind}.partner.example/tenant/v2.0`;
				assert.equal((await addProvider(service, { kind, issuer })).issuer, issuer);
			}
		});

		it("lets another tenant use the same slug", async () => {
			await addProvider(service, { provider: "both" });
			assert.equal(
				(await addProvider(service, { provider: "both" }, cast.other.adminToken)).provider,
				"both",
			);
		});
	});

	describe("400", () => {
		it("names each field that is missing or malformed", async () => {
			const bad: [Record<string, unknown>, string[]][] = [
				[{ provider: "Corp" }, ["provider"]],
				[{ provider: "a".repeat(65) }, ["provider"]],
				[{ kind: "myspace" }, ["kind"]],
				[{ display_name: " " }, ["display_name"]],
				[{ display_name: "x".repeat(101) }, ["display_name"]],
				[{ client_id: "" }, ["client_id"]],
				[{ client_id: "x".repeat(256) }, ["client_id"]],
				[{ client_secret: undefined }, ["client_secret"]],
				[{ client_secret: "x".repeat(4097) }, ["client_secret"]],
				[{ enabled: "yes", sign_up: 1 }, ["enabled", "sign_up"]],
			];
			for (const [fields, expected] of bad) {
				const answer = await post(fields);
				assert.deepEqual([answer.status, answer.fields.toSorted()], [400, expected], JSON.stringify(fields));
			}
		});

		it("refuses an issuer that is missing, misplaced, not https, or on our own network", async () => {
			for (const [fields, message] of [
				[{ issuer: null }, /is required/],
				[{ issuer: undefined }, /is required/],
				[{ kind: "google" }, /must be absent/],
				[{ issuer: "http://login.partner.example" }, /https/],
				[{ issuer: "login.partner.example" }, /https/],
				[{ issuer: "https://login.partner.exämple" }, /ASCII/],
				[{ issuer: "https://a:b@login.partner.example" }, /credentials/],
				[{ issuer: "https://login.partner.example/?tenant=1" }, /query/],
				[{ issuer: "https://login.partner.example/#a" }, /query/],
				[{ issuer: "https://login.partner.example:0" }, /port 0/],
				...[
					"localhost",
					"idp.localhost",
					"127.0.0.1",
					"[::1]",
					"0x7f.1",
					"10.0.0.1",
					"[::ffff:10.0.0.1]",
				].map((host) => [{ issuer: `https://${host}/` }, /public Internet/] as const),
			] as const) {
				const answer = await post(fields);
				assert.deepEqual([answer.status, answer.fields], [400, ["issuer"]], JSON.stringify(fields));
				assert.match(String(answer.messages[0]), message);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", IDENTITY_PROVIDERS, providerBody()));
	});

	describe("403", () => {
		it("allows admins only", () =>
			assertForbidden(
				service,
				[cast.auditor, cast.reviewer, cast.plain],
				"POST",
				IDENTITY_PROVIDERS,
				providerBody(),
			));

		it("allows platform admins only where one of them has an account under the slug already", async () => {
			const me = (await service.call("GET", "/api/v1/users/me", { token: cast.admin })).body.data;
			const account = { provider: "linked-before", provider_user_id: "42" };
			const path = `/api/v1/users/${me.id}/third-party-accounts`;
			assert.equal((await service.call("POST", path, { token: cast.admin, body: account })).status, 201);
			const { token } = await addPerson(service, "merely-admin", { roles: ["admin"] });
			const body = providerBody({ provider: "linked-before" });
			assert.equal((await service.call("POST", IDENTITY_PROVIDERS, { token, body })).status, 403);
			assert.equal((await service.call("POST", IDENTITY_PROVIDERS, { token: cast.admin, body })).status, 201);
		});
	});

	describe("409", () => {
		it("gives a slug to one of several requests", async () => {
			const token = cast.admin;
			const answers = await Promise.all(
				Array.from({ length: 5 }, () =>
					service.call("POST", IDENTITY_PROVIDERS, { token, body: providerBody({ provider: "once" }) }),
				),
			);
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
			assert.equal((await post({ provider: "once" })).code, "identity_provider.slug_taken");
		});

		it("has a limit for a tenant, exact for many at once", async () => {
			const token = cast.other.adminToken;
			const list = await service.call("GET", IDENTITY_PROVIDERS, { token });
			const answers = await Promise.all(
				Array.from({ length: 55 - list.body.total }, () =>
					service.call("POST", IDENTITY_PROVIDERS, { token, body: providerBody() }),
				),
			);
			assert.equal(answers.filter(({ status }) => status === 409).length, 5);
			assert.equal((await service.call("GET", IDENTITY_PROVIDERS, { token })).body.total, 50);
		});
	});
});
