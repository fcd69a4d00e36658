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
import { addProvider, IDENTITY_PROVIDERS } from "../../harness/identity-providers.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PATCH /api/v1/identity-providers/{id}", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const pathOf = ({ id }: { readonly id: string }) => `${IDENTITY_PROVIDERS}/${id}` as const;
	const patch = (provider: { readonly id: string }, body: unknown) =>
		service.call("PATCH", pathOf(provider), { token: cast.admin, body });
	const sealedOf = async (id: string): Promise<string | undefined> => {
		const engine = await service.openDatabase();
		const sql = "SELECT client_secret_sealed AS sealed FROM identity_providers WHERE id = $1";
		const row = await engine.queries.one<{ sealed: string }>(sql, id);
		await engine.close();
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
			const event = (await auditOf(service, `identity_provider:${provider.id}`)).at(-1);
			assert.deepEqual(
				[event?.action, event?.details],
				[
					"identity_provider.updated",
					{
						fields: ["display_name", "client_id", "issuer", "enabled", "sign_up"],
						issuer: "https://new.partner.example",
						enabled: false,
						sign_up: true,
					},
				],
			);
		});

		it("replaces the secret and never shows it", async () => {
			const provider = await addProvider(service);
			const before = await sealedOf(provider.id);
			service.clock.advance(5_000);
			const { body } = await patch(provider, { client_secret: "another secret" });
			assert.ok(body.data.client_secret_set_at > provider.client_secret_set_at);
			assert.notEqual(await sealedOf(provider.id), before);
			const event = (await auditOf(service, `identity_provider:${provider.id}`)).at(-1);
			assert.deepEqual(event?.details, { fields: ["client_secret"] });
			assert.ok(!JSON.stringify([body, service.logs()]).includes("another secret"));
		});

		it("writes nothing when nothing changes", async () => {
			const provider = await addProvider(service);
			service.clock.advance(5_000);
			const { display_name, issuer, enabled } = provider;
			assert.deepEqual((await patch(provider, { display_name, issuer, enabled })).body.data, provider);
			assert.equal((await auditOf(service, `identity_provider:${provider.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			const path = pathOf(await addProvider(service));
			for (const [body, field] of [
				[{ issuer: null }, "issuer"],
				[{ issuer: "https://127.0.0.1" }, "issuer"],
				[{ client_secret: "" }, "client_secret"],
				[{ display_name: "" }, "display_name"],
			] as const)
				assert.deepEqual((await problemOf(service, "PATCH", path, body)).fields, [field]);
		});
	});

	describe("401", () => {
		it("needs a token", async () =>
			assertUnauthenticated(service, "PATCH", pathOf(await addProvider(service)), {}));
	});

	describe("403", () => {
		it("allows admins only", async () =>
			assertForbidden(
				service,
				[cast.auditor, cast.reviewer, cast.plain],
				"PATCH",
				pathOf(await addProvider(service)),
				{},
			));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${IDENTITY_PROVIDERS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${IDENTITY_PROVIDERS}/corp` },
					{ token: cast.other.adminToken, path: pathOf(await addProvider(service)) },
				],
				"PATCH",
				"identity_provider.not_found",
				{ enabled: false },
			));
	});

	describe("409", () => {
		it("keeps the issuer while accounts are linked: elsewhere the same ids are other people", async () => {
			const provider = await addProvider(service);
			const accounts = `/api/v1/users/${cast.plain.id}/third-party-accounts` as const;
			const linked = await service.call("POST", accounts, {
				token: cast.admin,
				body: { provider: provider.provider, provider_user_id: "1" },
			});
			const body = { issuer: "https://new.partner.example" };
			const refused = await problemOf(service, "PATCH", pathOf(provider), body);
			assert.deepEqual([refused.status, refused.code], [409, "identity_provider.in_use"]);
			assert.equal((await patch(provider, { display_name: "New", issuer: provider.issuer })).status, 200);
			await service.call("DELETE", `${accounts}/${linked.body.data.id}`, { token: cast.admin });
			assert.equal((await patch(provider, body)).status, 200);
		});
	});
});
