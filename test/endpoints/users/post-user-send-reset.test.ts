import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mailedToken } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { addPerson, auditOf, isAlive, lockPassword, type Person, signInAgain } from "../../harness/people.ts";
import { reset, resetTokenFor } from "../../harness/recovery.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/{id}/send-reset", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const path = (of = cast.plain.id) => `/api/v1/users/${of}/send-reset` as const;
	const send = async ({ id }: Pick<Person, "id">, token?: string) =>
		service.call("POST", path(id), { token: token ?? (await service.adminToken()) });
	const requests = async ({ id }: Pick<Person, "id">) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.password_reset_requested");
	const NEW_PASSWORD = "another long password";

	describe("202", () => {
		it("mails the owner a link that works, shows nobody its token, and changes nothing by itself", async () => {
			const ada = await addPerson(service, "ada");
			const answer = await send(ada);
			assert.deepEqual([answer.status, answer.body], [202, undefined]);
			assert.equal(await isAlive(service, await signInAgain(service, ada)), true);
			const token = await mailedToken(service, ada.email, "reset");
			const [requested, ...more] = await requests(ada);
			assert.notEqual(requested?.actor, `user:${ada.id}`);
			assert.match(requested?.actor ?? "", /^user:/);
			assert.deepEqual([requested?.details, more], [{}, []]);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
			assert.equal(await isAlive(service, ada.token), false);
			assert.equal(await isAlive(service, await service.tokenOf("ada", NEW_PASSWORD)), true);
		});

		it("replaces an earlier link, and its own link ends a lock", async () => {
			const bea = await addPerson(service, "bea");
			const earlier = await resetTokenFor(service, bea.email);
			service.clock.advance(61_000);
			await lockPassword(service, bea);
			assert.equal((await send(bea)).status, 202);
			const token = await mailedToken(service, bea.email, "reset", 2);
			assert.equal((await reset(service, earlier, NEW_PASSWORD)).status, 404);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
			await service.tokenOf("bea", NEW_PASSWORD);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path()));
	});

	describe("403", () => {
		it("is not for others, not even for the user", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "POST", path()));

		it("keeps a plain admin from sending a platform admin a link", async () => {
			const platform = await addPerson(service, "platform", { roles: ["platform_admin"] });
			const admin = await addPerson(service, "only-admin", { roles: ["admin"] });
			assert.equal((await send(platform, admin.token)).status, 403);
			assert.deepEqual(await requests(platform), []);
			assert.equal((await send(cast.plain, admin.token)).status, 202);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("me") },
					{ token: cast.other.adminToken, path: path() },
				],
				"POST",
				"user.not_found",
			));
	});

	describe("409", () => {
		it("refuses a disabled account, and says so", async () => {
			const { id } = await service.addUser({
				username: "asleep",
				email: "asleep@people.example",
				password: "a long enough password",
				status: "disabled",
			});
			const { status, code } = await problemOf(service, "POST", path(id));
			assert.deepEqual([status, code], [409, "user.reset_unusable"]);
			assert.match((await send({ id })).body.error, /is disabled/);
			assert.deepEqual(await requests({ id }), []);
		});

		it("refuses an account without an address of its own", async () => {
			const { id } = await addPerson(service, "unreachable");
			const body = { email: `${id}@no-address.invalid` };
			await service.call("PATCH", `/api/v1/users/${id}`, { token: await service.adminToken(), body });
			const { status, code } = await problemOf(service, "POST", path(id));
			assert.deepEqual([status, code], [409, "user.reset_unusable"]);
			assert.deepEqual(await requests({ id }), []);
		});
	});

	describe("429", () => {
		it("allows one mail a minute to an address, together with those the owner asks for", async () => {
			const cal = await addPerson(service, "cal");
			const token = await resetTokenFor(service, cal.email);
			const refused = await send(cal);
			assert.equal(refused.status, 429);
			assert.equal(refused.headers["retry-after"], "60");
			assert.equal((await problemOf(service, "POST", path(cal.id))).code, "code.too_many");
			assert.equal((await requests(cal)).length, 1);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
		});
	});
});
