import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	signInAgain,
	signInToApplication,
	takePasswordAway,
} from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me";

describe("DELETE /api/v1/users/me", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const remove = ({ token }: Pick<Person, "token">, body: unknown) =>
		service.call("DELETE", PATH, { token, body, headers: { accept: "application/problem+json" } });
	/** A person whose sign-in is older than five minutes. */
	const addOldPerson = async (name: string, fields = {}): Promise<Person> => {
		const person = await addPerson(service, name, fields);
		service.clock.advance(6 * MINUTE_MS);
		return person;
	};

	describe("204", () => {
		it("deletes the account with the password: every session ends, the name is free again", async () => {
			const ada = await addOldPerson("ada");
			const second = await signInAgain(service, ada);
			const answer = await remove(ada, { password: ada.password });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			for (const token of [ada.token, second]) assert.equal(await isAlive(service, token), false);
			const again = await addPerson(service, "ada");
			assert.notEqual(again.id, ada.id);
			const event = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.actor], ["user.deleted", `user:${ada.id}`]);
		});

		it("deletes the account without the password soon after a sign-in", async () => {
			const bea = await addPerson(service, "bea");
			service.clock.advance(5 * MINUTE_MS - 10_000);
			assert.equal((await remove(bea, {})).status, 204);
			assert.equal(await isAlive(service, bea.token), false);
		});

		it("deletes an account that has no password", async () => {
			const cal = await addPerson(service, "cal");
			await takePasswordAway(service, cal.id);
			assert.equal((await remove(cal, {})).status, 204);
		});

		it("lets an admin go while another one is left", async () => {
			const dan = await addPerson(service, "dan", { roles: ["admin"] });
			assert.equal((await remove(dan, { password: dan.password })).status, 204);
		});

		it("deletes once for simultaneous requests", async () => {
			const eve = await addPerson(service, "eve");
			const answers = await Promise.all(Array.from({ length: 5 }, () => remove(eve, {})));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401, 401, 401, 401]);
		});
	});

	describe("400", () => {
		it("requires the password after five minutes", async () => {
			const fay = await addOldPerson("fay");
			for (const body of [{}, { password: "wrong wrong" }, { password: "" }, "{"]) {
				const answer = await remove(fay, body);
				assert.equal(answer.status, 400, JSON.stringify(body));
			}
			const { body } = await remove(fay, {});
			assert.deepEqual(
				[body.code, body.detail],
				["request.invalid", "password is required, or sign in again at most 5 minutes before"],
			);
			assert.equal(await isAlive(service, fay.token), true);
			const refused = (await auditOf(service, `user:${fay.id}`)).filter(
				({ action }) => action === "user.deletion_refused",
			);
			assert.deepEqual(
				refused.map(({ details }) => details.reason),
				["password.wrong"],
			);
		});

		it("refuses a wrong password although the sign-in is new", async () => {
			const gil = await addPerson(service, "gil");
			assert.equal((await remove(gil, { password: "wrong wrong" })).body.code, "password.wrong");
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("DELETE", PATH, { body: {} })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token, with the password too", async () => {
			const hal = await addPerson(service, "hal");
			const token = await signInToApplication(service, hal);
			for (const body of [{}, { password: hal.password }]) {
				const answer = await remove({ token }, body);
				assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
			}
			assert.equal(await isAlive(service, hal.token), true);
		});
	});

	describe("409", () => {
		it("keeps the last active admin of a tenant", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const answer = await remove({ token }, {});
			assert.deepEqual([answer.status, answer.body.code], [409, "user.last_admin"]);
			assert.equal(await isAlive(service, token), true);
		});
	});

	describe("429", () => {
		it("counts wrong passwords", async () => {
			const ivy = await addPerson(service, "ivy");
			for (let count = 0; count < 5; count++)
				assert.equal((await remove(ivy, { password: "wrong wrong" })).status, 400);
			assert.equal((await remove(ivy, { password: ivy.password })).status, 429);
		});
	});
});
