import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ADMIN_KEYS, addAdminKey, statusWith } from "../../harness/admin-keys.ts";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/admin-keys/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${ADMIN_KEYS}/${(await addAdminKey(service)).id}`;
	});
	after(() => service.stop());

	describe("204", () => {
		it("refuses the key at once, and audits it", async () => {
			const key = await addAdminKey(service);
			assert.equal(await statusWith(service, key), 200);
			const answer = await service.call("DELETE", `${ADMIN_KEYS}/${key.id}`, { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await statusWith(service, key), 401);
			const { action, details } = (await auditOf(service, `admin_key:${key.id}`)).at(-1) ?? {};
			const { name, created_by } = key;
			assert.deepEqual([action, details], ["admin_key.deleted", { name, created_by, reason: "deleted" }]);
		});

		it("lets any admin of the tenant end a key, also of a platform admin", async () => {
			const key = await addAdminKey(service, { roles: ["platform_admin"] });
			const { token } = await addPerson(service, "otheradmin", { roles: ["admin"] });
			const answer = await service.call("DELETE", `${ADMIN_KEYS}/${key.id}`, { token });
			assert.deepEqual([answer.status, await statusWith(service, key)], [204, 401]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", path);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${ADMIN_KEYS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${ADMIN_KEYS}/x` },
					{ token: cast.other.adminToken, path },
				],
				"DELETE",
				"admin_key.not_found",
			);
		});

		it("refuses all but one of twenty simultaneous requests", async () => {
			const one = `${ADMIN_KEYS}/${(await addAdminKey(service)).id}`;
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => service.call("DELETE", one, { token: cast.admin })),
			);
			assert.equal(answers.filter(({ status }) => status === 204).length, 1);
			assert.equal(answers.filter(({ status }) => status === 404).length, 19);
		});
	});
});
