import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addApplication, addCast, addRole, type Cast, putGrant } from "../../harness/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/groups.ts";
import { signInToApplication } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/grants";

describe("GET /api/v1/users/me/grants", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers the caller's grants and those of their groups, newest first, and of no other user", async () => {
			const desk = await addApplication(service, { name: "Desk" });
			await addRole(service, desk.id, "reader");
			const sales = await addGroup(service, [cast.plain.id], { name: "Sales" });
			const direct = await putGrant(service, desk.id, cast.plain.id, ["reader"]);
			await putGrant(service, desk.id, cast.reviewer.id);
			service.clock.advance(1_000);
			await putGroupGrant(service, desk.id, sales.id);
			const { status, body } = await service.call("GET", PATH, { token: cast.plain.token });
			assert.deepEqual([status, body.total], [200, 2]);
			assert.deepEqual(
				body.data.map(({ app_name, group_name, roles }) => [app_name, group_name, roles]),
				[
					["Desk", "Sales", []],
					["Desk", null, ["reader"]],
				],
			);
			assert.equal(body.data[1]?.id, direct.id);
			const paged = await service.call("GET", `${PATH}?page=2&page_size=1`, { token: cast.plain.token });
			assert.deepEqual([paged.body.total, paged.body.data[0]?.id], [2, direct.id]);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status } = await service.call("GET", `${PATH}?page=0`, { token: cast.plain.token });
			assert.equal(status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});

	describe("403", () => {
		it("is not for a token of an application", async () => {
			const { username, password } = cast.plain;
			const token = await signInToApplication(service, { username, password });
			const answer = await service.call<{ code: string }>("GET", PATH, {
				token,
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
		});
	});
});
