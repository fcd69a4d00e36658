// The managers of applications and groups.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { APPLICATIONS, addApplication } from "../harness/access/applications.ts";
import { addGroup, GROUPS } from "../harness/access/groups.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();
let people = 0;
const newPerson = () => addPerson(service, `managing${++people}`);
const application = async () => `${APPLICATIONS}/${(await addApplication(service)).id}`;
const group = async () => `${GROUPS}/${(await addGroup(service)).id}`;

describe("GET /api/v1/applications/{id}/managers", () => {
	describe("200", () => {
		it("lists the managers, most recently added first, to a manager, too", async () => {
			await checkList(await application());
		});
	});
});

describe("PUT /api/v1/applications/{id}/managers/{user_id}", () => {
	describe("204", () => {
		it("is idempotent, and audited once", async () => checkPut(await application()));
	});
});

describe("DELETE /api/v1/applications/{id}/managers/{user_id}", () => {
	describe("204", () => {
		it("removes the manager, audited", async () => checkRemoval(await application()));
	});
});

describe("GET /api/v1/groups/{id}/managers", () => {
	describe("200", () => {
		it("lists the managers, most recently added first, to a manager, too", async () => {
			await checkList(await group());
		});
	});
});

describe("PUT /api/v1/groups/{id}/managers/{user_id}", () => {
	describe("204", () => {
		it("is idempotent, and audited once", async () => checkPut(await group()));
	});
});

describe("DELETE /api/v1/groups/{id}/managers/{user_id}", () => {
	describe("204", () => {
		it("removes the manager, audited", async () => checkRemoval(await group()));
	});
});

async function checkList(place: string): Promise<void> {
	const [first, second] = [await newPerson(), await newPerson()];
	for (const { id } of [first, second]) {
		service.clock.advance(1_000);
		await service.asAdmin("PUT", `${place}/managers/${id}`);
	}
	type List = { data: { username: string }[]; total: number };
	const { status, body } = await service.call<List>("GET", `${place}/managers`, { token: first.token });
	const names = body.data.map(({ username }) => username);
	assert.deepEqual([status, names, body.total], [200, [second.username, first.username], 2]);
}

async function checkPut(place: string): Promise<void> {
	const { id } = await newPerson();
	for (let count = 0; count < 2; count++)
		assert.equal((await service.callAsAdmin("PUT", `${place}/managers/${id}`)).status, 204);
	const events = await auditOf(service, `user:${id}`);
	assert.equal(events.filter(({ action }) => action === "manager.added").length, 1);
}

async function checkRemoval(place: string): Promise<void> {
	const { id } = await newPerson();
	await service.asAdmin("PUT", `${place}/managers/${id}`);
	assert.equal((await service.callAsAdmin("DELETE", `${place}/managers/${id}`)).status, 204);
	assert.equal((await auditOf(service, `user:${id}`)).at(-1)?.action, "manager.removed");
}
