// Identity providers: list, create, read, change, delete.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT_ID, addCast, problemOf } from "../harness/access/applications.ts";
import { addPerson, auditOf, lastAuditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import {
	addProvider,
	IDENTITY_PROVIDERS,
	PROVIDER_SECRET,
	providerBody,
} from "../harness/providers/identity-providers.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));

describe("GET /api/v1/identity-providers", () => {
	describe("200", () => {
		it("returns the providers of the tenant in pages, newest first", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const providers = [
				await addProvider(service, {}, token),
				await addProvider(service, { enabled: false }, token),
			];
			await addProvider(service);
			const { status, body } = await service.call("GET", IDENTITY_PROVIDERS, { token });
			assert.equal(status, 200);
			assert.deepEqual(body, { data: providers.toReversed(), total: 2, page: 1, page_size: 20 });
			const second = await service.call("GET", `${IDENTITY_PROVIDERS}?page=2&page_size=1`, { token });
			assert.deepEqual([second.body.data, second.body.total], [[providers[0]], 2]);
		});
	});
});

describe("POST /api/v1/identity-providers", () => {
	const post = (fields: Record<string, unknown>) =>
		problemOf(service, "POST", IDENTITY_PROVIDERS, providerBody(fields));

	describe("201", () => {
		it("creates an enabled provider without sign-up; the secret is never shown", async () => {
			const body = providerBody({ provider: "corp", display_name: " Corp " });
			const response = await service.callAsAdmin("POST", IDENTITY_PROVIDERS, { body });
			assert.equal(response.status, 201);
			const { id, tenant_id, created_by, client_secret_set_at, created_at, updated_at, ...rest } =
				response.body.data;
			assert.deepEqual(rest, {
				provider: "corp",
				kind: "oidc",
				display_name: "Corp",
				uses: ["sign_in"],
				client_id: "latchkey",
				issuer: "https://login.partner.example",
				jwks_uri: null,
				jwks: null,
				jwks_set_at: null,
				audience: null,
				subject_claim: "sub",
				mfa_acr: [],
				email_domains: "any",
				enabled: true,
				sign_up: false,
				last_test: null,
				managed_by: null,
				callback_url: "https://localhost:8443/api/v1/auth/third-party/corp/callback",
			});
			const me = await service.asAdmin("GET", "/api/v1/users/me");
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
							uses: ["sign_in"],
							issuer: "https://login.partner.example",
							enabled: true,
							sign_up: false,
						},
					],
				],
			);
			assert.ok(!JSON.stringify([response.body, events, service.logs()]).includes(PROVIDER_SECRET));
		});

		it("stores the secret sealed", async () => {
			const { id } = await addProvider(service);
			await using engine = await service.openDatabase();
			const row = await engine.queries.one<Record<string, unknown>>(
				"SELECT * FROM identity_providers WHERE id = $1",
				id,
			);
			assert.match(String(row?.client_secret_sealed), /^v1\./);
			assert.ok(!JSON.stringify(row).includes(PROVIDER_SECRET));
		});

		it("accepts every kind, with an issuer where the kind has one", async () => {
			for (const kind of ["google", "apple", "wechat", "dingtalk"])
				await addProvider(service, { provider: kind, kind, issuer: null });
			for (const kind of ["microsoft", "github", "gitlab", "feishu"]) {
				await addProvider(service, { kind, issuer: null });
				const issuer = `https://${kind}.partner.example/tenant/v2.0`;
				assert.equal((await addProvider(service, { kind, issuer })).issuer, issuer);
			}
		});

		it("creates an issuer of assertions without a client, which decides about no address by default", async () => {
			const fields = { uses: ["assertions"], client_id: undefined, client_secret: undefined };
			const own = { jwks_uri: "https://login.partner.example/keys", subject_claim: "oid", mfa_acr: ["phr"] };
			const added = await addProvider(service, { ...fields, ...own });
			assert.deepEqual(
				[
					added.uses,
					added.client_id,
					added.jwks_uri,
					added.subject_claim,
					added.mfa_acr,
					added.email_domains,
				],
				[["assertions"], null, own.jwks_uri, "oid", ["phr"], "verified"],
			);
			const other = { issuer: "https://other.partner.example", email_domains: "any" };
			const trusted = await addProvider(service, { ...fields, ...other });
			assert.equal(trusted.email_domains, "any");
		});

		it("allows another tenant the same slug", async () => {
			await addProvider(service, { provider: "both" });
			assert.equal(
				(await addProvider(service, { provider: "both" }, cast.other.adminToken)).provider,
				"both",
			);
		});
	});

	describe("400", () => {
		it("rejects an issuer that is missing, misplaced, not https, or on the network of the service", async () => {
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
				].map(
					(host) =>
						[
							{ issuer: `https://${host}/` },
							/private or reserved address; the operator can allow it with LATCHKEY_PROVIDER_ALLOWED_NETWORKS$/,
						] as const,
				),
			] as const) {
				const response = await post(fields);
				assert.deepEqual([response.status, response.fields], [400, ["issuer"]], JSON.stringify(fields));
				assert.match(String(response.messages[0]), message);
			}
		});
	});

	describe("403", () => {
		it("allows only platform admins to take a slug under which a platform admin has an account", async () => {
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			const account = { provider: "linked-before", provider_user_id: "42" };
			const path = `/api/v1/users/${me.id}/third-party-accounts`;
			assert.equal((await service.callAsAdmin("POST", path, { body: account })).status, 201);
			const { token } = await addPerson(service, "merely-admin", { roles: ["admin"] });
			const body = providerBody({ provider: "linked-before" });
			assert.equal((await service.call("POST", IDENTITY_PROVIDERS, { token, body })).status, 403);
			assert.equal((await service.callAsAdmin("POST", IDENTITY_PROVIDERS, { body })).status, 201);
		});
	});

	describe("409", () => {
		it("accepts one of five concurrent requests with one slug", async () => {
			const token = cast.admin;
			const responses = await Promise.all(
				Array.from({ length: 5 }, () =>
					service.call("POST", IDENTITY_PROVIDERS, { token, body: providerBody({ provider: "once" }) }),
				),
			);
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
			assert.equal((await post({ provider: "once" })).code, "identity_provider.slug_taken");
		});

		it("accepts one enabled issuer of assertions for each URL, also of concurrent requests", async () => {
			const token = cast.admin;
			const fields = { uses: ["assertions"], client_id: undefined, client_secret: undefined };
			const body = (more: object = {}) =>
				providerBody({ ...fields, issuer: "https://asserts.example", ...more });
			const create = (more?: object) => service.call("POST", IDENTITY_PROVIDERS, { token, body: body(more) });
			const created = await Promise.all([create(), create(), create()]);
			assert.deepEqual(created.map(({ status }) => status).toSorted(), [201, 409, 409]);
			assert.equal((await post(body())).code, "issuer.taken");
			const waiting = await Promise.all(
				[{ enabled: false }, { uses: ["workloads"] }, { issuer: "https://asserts.example/other" }].map(
					async (more) => (await create(more)).body.data.id,
				),
			);
			const changes = [{ enabled: true }, { uses: ["assertions"] }, { issuer: "https://asserts.example" }];
			const patch = (id: string, change: object) =>
				problemOf(service, "PATCH", `${IDENTITY_PROVIDERS}/${id}`, change);
			for (const [index, change] of changes.entries()) {
				const { status, code } = await patch(waiting[index] ?? "", change);
				assert.deepEqual([status, code], [409, "issuer.taken"], JSON.stringify(change));
			}
			const live = created.find(({ status }) => status === 201)?.body.data.id ?? "";
			assert.equal((await patch(live, { enabled: false })).status, 200);
			const outcomes = await Promise.all(waiting.map((id, index) => patch(id, changes[index] ?? {})));
			assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), [200, 409, 409]);
			const { adminToken } = await addSecondTenant(service);
			const elsewhere = { token: adminToken, body: body() };
			assert.equal((await service.call("POST", IDENTITY_PROVIDERS, elsewhere)).status, 201);
		});

		it("creates at most 50 providers of a tenant, even for concurrent requests", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const create = () => service.call("POST", IDENTITY_PROVIDERS, { token, body: providerBody() });
			for (let count = 0; count < 45; count++) assert.equal((await create()).status, 201);
			const responses = await Promise.all(Array.from({ length: 10 }, create));
			assert.equal(responses.filter(({ status }) => status === 409).length, 5);
			assert.equal((await service.call("GET", IDENTITY_PROVIDERS, { token })).body.total, 50);
		});
	});
});

describe("GET /api/v1/identity-providers/{id}", () => {
	describe("200", () => {
		it("returns everything but the secret to admins and auditors", async () => {
			const provider = await addProvider(service, { sign_up: true });
			for (const token of [cast.admin, cast.auditor.token]) {
				const response = await service.call("GET", `${IDENTITY_PROVIDERS}/${provider.id}`, { token });
				assert.deepEqual([response.status, response.body], [200, { data: { ...provider, set_up: null } }]);
			}
		});
	});
});

describe("PATCH /api/v1/identity-providers/{id}", () => {
	const pathOf = ({ id }: { readonly id: string }) => `${IDENTITY_PROVIDERS}/${id}` as const;
	const patch = (provider: { readonly id: string }, body: unknown) =>
		service.callAsAdmin("PATCH", pathOf(provider), { body });
	const sealedOf = async (id: string): Promise<string | undefined> => {
		await using engine = await service.openDatabase();
		const sql = "SELECT client_secret_sealed AS sealed FROM identity_providers WHERE id = $1";
		const row = await engine.queries.one<{ sealed: string }>(sql, id);
		return row?.sealed;
	};

	describe("200", () => {
		it("changes the given fields, and keeps the others", async () => {
			const provider = await addProvider(service);
			service.clock.advance(5_000);
			const changes = {
				display_name: "New",
				client_id: "other",
				issuer: "https://new.partner.example",
				enabled: false,
				sign_up: true,
			};
			const { status, body } = await patch(provider, {
				...changes,
				kind: "google",
				provider: "x",
				id: ABSENT_ID,
			});
			assert.equal(status, 200);
			const { updated_at, ...rest } = body.data;
			const { updated_at: before, ...expected } = { ...provider, ...changes };
			assert.deepEqual(rest, expected);
			assert.ok(updated_at > before);
			assert.deepEqual(await lastAuditOf(service, `identity_provider:${provider.id}`), [
				"identity_provider.updated",
				{
					fields: ["display_name", "client_id", "issuer", "enabled", "sign_up"],
					issuer: "https://new.partner.example",
					enabled: false,
					sign_up: true,
				},
			]);
		});

		it("decides about no address any more when it becomes an issuer of assertions, unless the change says so", async () => {
			const uses = ["sign_in", "assertions"];
			for (const [fields, expected] of [
				[{ uses }, "verified"],
				[{ uses, email_domains: "any" }, "any"],
			] as const) {
				const added = await addProvider(service, { issuer: `https://${expected}.partner.example` });
				const { body } = await patch(added, fields);
				assert.deepEqual([body.data.uses, body.data.email_domains], [uses, expected]);
			}
		});

		it("replaces the secret and never shows it", async () => {
			const provider = await addProvider(service);
			const before = await sealedOf(provider.id);
			service.clock.advance(5_000);
			const { body } = await patch(provider, { client_secret: "another secret" });
			assert.ok(String(body.data.client_secret_set_at) > String(provider.client_secret_set_at));
			assert.notEqual(await sealedOf(provider.id), before);
			const event = (await auditOf(service, `identity_provider:${provider.id}`)).at(-1);
			assert.deepEqual(event?.details, { fields: ["client_secret"] });
			assert.ok(!JSON.stringify([body, service.logs()]).includes("another secret"));
		});

		it("writes nothing if nothing changes", async () => {
			const provider = await addProvider(service);
			service.clock.advance(5_000);
			const { display_name, issuer, enabled } = provider;
			assert.deepEqual((await patch(provider, { display_name, issuer, enabled })).body.data, provider);
			assert.equal((await auditOf(service, `identity_provider:${provider.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			const path = pathOf(await addProvider(service));
			for (const [body, field] of [
				[{ issuer: null }, "issuer"],
				[{ issuer: "https://127.0.0.1" }, "issuer"],
				[{ mfa_acr: ["phr"] }, "mfa_acr"],
				[{ jwks_uri: "https://login.partner.example/keys" }, "jwks_uri"],
				[{ audience: "latchkey", uses: ["sign_in", "assertions"] }, "audience"],
			] as const)
				assert.deepEqual((await problemOf(service, "PATCH", path, body)).fields, [field]);
			const github = pathOf(await addProvider(service, { kind: "github", issuer: null }));
			for (const [body, field] of [
				[{ subject_claim: "oid" }, "subject_claim"],
				[{ uses: ["sign_in", "assertions"] }, "uses"],
			] as const)
				assert.deepEqual((await problemOf(service, "PATCH", github, body)).fields, [field]);
		});
	});

	describe("409", () => {
		it("returns 409 for a new issuer or subject claim while accounts are linked: the same ids would be other people", async () => {
			const provider = await addProvider(service);
			const accounts = `/api/v1/users/${cast.plain.id}/third-party-accounts` as const;
			const linked = await service.callAsAdmin("POST", accounts, {
				body: { provider: provider.provider, provider_user_id: "1" },
			});
			const body = { issuer: "https://new.partner.example" };
			for (const change of [body, { subject_claim: "oid" }]) {
				const refused = await problemOf(service, "PATCH", pathOf(provider), change);
				assert.deepEqual([refused.status, refused.code], [409, "identity_provider.in_use"]);
			}
			assert.equal((await patch(provider, { display_name: "New", issuer: provider.issuer })).status, 200);
			await service.asAdmin("DELETE", `${accounts}/${linked.body.data.id}`);
			assert.equal((await patch(provider, body)).status, 200);
		});
	});
});

describe("DELETE /api/v1/identity-providers/{id}", () => {
	const pathOf = ({ id }: { readonly id: string }) => `${IDENTITY_PROVIDERS}/${id}` as const;
	const remove = (provider: { readonly id: string }) => service.callAsAdmin("DELETE", pathOf(provider));

	describe("204", () => {
		it("removes the provider once, and frees its slug", async () => {
			const provider = await addProvider(service, { provider: "retired" });
			const responses = await Promise.all([remove(provider), remove(provider), remove(provider)]);
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 404, 404]);
			assert.deepEqual(await lastAuditOf(service, `identity_provider:${provider.id}`), [
				"identity_provider.deleted",
				{ provider: "retired", kind: "oidc" },
			]);
			assert.notEqual((await addProvider(service, { provider: "retired" })).id, provider.id);
		});
	});

	describe("409", () => {
		it("returns 409 while an account of the provider is linked", async () => {
			const provider = await addProvider(service);
			const accounts = `/api/v1/users/${cast.plain.id}/third-party-accounts` as const;
			const linked = await service.callAsAdmin("POST", accounts, {
				body: { provider: provider.provider, provider_user_id: "1" },
			});
			const refused = await problemOf(service, "DELETE", pathOf(provider));
			assert.deepEqual([refused.status, refused.code], [409, "identity_provider.in_use"]);
			await service.asAdmin("DELETE", `${accounts}/${linked.body.data.id}`);
			assert.equal((await remove(provider)).status, 204);
		});
	});
});
