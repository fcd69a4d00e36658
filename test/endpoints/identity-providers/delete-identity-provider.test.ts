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

describe("DELETE /api/v1/identity-providers/{id}", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const pathOf = ({ id }: { readonly id: string }) => `${IDENTITY_PROVIDERS}/${id}` as const;
	const remove = (provider: { readonly id: string }) =>
		service.call("DELETE", pathOf(provider), { token: cast.admin });

	describe("204", () => {
		it("removes the provider once, and frees its slug", async () => {
			const provider = await addProvider(service, { provider: "corp" });
			const answers = await Promise.all([remove(provider), remove(provider), remove(provider)]);
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 404, 404]);
			const event = (await auditOf(service, `identity_provider:${provider.id}`)).at(-1);
			assert.deepEqual(
				[event?.action, event?.details],
				["identity_provider.deleted", { provider: "corp", kind: "oidc" }],
			);
			assert.notEqual((await addProvider(service, { provider: "corp" })).id, provider.id);
		});
	});

	describe("401", () => {
		it("needs a token", async () =>
			assertUnauthenticated(service, "DELETE", pathOf(await addProvider(service))));
	});

	describe("403", () => {
		it("allows admins only", async () =>
			assertForbidden(
				service,
				[cast.auditor, cast.reviewer, cast.plain],
				"DELETE",
				pathOf(await addProvider(service)),
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
				"DELETE",
				"identity_provider.not_found",
			));
	});

	describe("409", () => {
		it("refuses while an account of the provider is linked", async () => {
			const provider = await addProvider(service);
			const accounts = `/api/v1/users/${cast.plain.id}/third-party-accounts` as const;
			const linked = await service.call("POST", accounts, {
				token: cast.admin,
				body: { provider: provider.provider, provider_user_id: "1" },
			});
			const refused = await problemOf(service, "DELETE", pathOf(provider));
			assert.deepEqual([refused.status, refused.code], [409, "identity_provider.in_use"]);
			await service.call("DELETE", `${accounts}/${linked.body.data.id}`, { token: cast.admin });
			assert.equal((await remove(provider)).status, 204);
		});
	});
});
