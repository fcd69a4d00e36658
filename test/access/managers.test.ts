// Managers of applications and groups: what they do without a role, and what ends it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { QUEUE } from "../harness/access/access-requests.ts";
import { APPLICATIONS } from "../harness/access/applications.ts";
import { addGroup, GROUPS } from "../harness/access/groups.ts";
import { addRequestable, requestRoles } from "../harness/access/person-requests.ts";
import { addPerson, auditOf, signInToApplication } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();
let people = 0;
const newPerson = () => addPerson(service, `someone${++people}`);
const problem = { accept: "application/problem+json" };

describe("a manager of an application", () => {
	it("grants it to others with roles and an end, and neither to themselves nor to groups", async () => {
		const [manager, person, app] = [await newPerson(), await newPerson(), await addRequestable(service)];
		const group = await addGroup(service);
		const { token } = manager;
		const put = (path: string, body: object = {}) =>
			service.call("PUT", `${APPLICATIONS}/${app}/grants/${path}`, { token, body, headers: problem });
		assert.equal((await put(`users/${person.id}`)).status, 403);
		await service.asAdmin("PUT", `${APPLICATIONS}/${app}/managers/${manager.id}`);
		assert.equal((await put(`users/${person.id}`, { roles: ["reader"] })).status, 201);
		const own = await put(`users/${manager.id}`, { roles: ["owner"] });
		assert.deepEqual([own.status, own.body.code], [403, "request.own"]);
		assert.equal((await put(`users/${manager.id.toUpperCase()}`)).status, 403);
		assert.equal((await put(`groups/${group.id}`)).status, 403);
		const { body } = await service.call("GET", `${APPLICATIONS}/${app}/grants`, { token });
		assert.deepEqual(
			body.data.map(({ user_id, roles }) => [user_id, roles]),
			[[person.id, ["reader"]]],
		);
		const event = (await auditOf(service, `user:${person.id}`)).at(-1);
		assert.deepEqual([event?.action, event?.actor], ["grant.created", `user:${manager.id}`]);
	});

	it("decides requests for it, but never their own, and no longer once removed", async () => {
		const [manager, person, app] = [await newPerson(), await newPerson(), await addRequestable(service)];
		await service.asAdmin("PUT", `${APPLICATIONS}/${app}/managers/${manager.id}`);
		const { token } = manager;
		const [theirs, own] = [
			await requestRoles(service, person, app),
			await requestRoles(service, manager, app),
		];
		await requestRoles(service, person, await addRequestable(service));
		const { body } = await service.call("GET", `${QUEUE}?sort=oldest`, { token });
		assert.deepEqual(
			body.data.map(({ id }) => id),
			[theirs.id, own.id],
		);
		const approve = (id: string) =>
			service.call("POST", `${QUEUE}/${id}/approve`, { token, body: {}, headers: problem });
		const refused = await approve(own.id);
		assert.deepEqual([refused.status, refused.body.code], [403, "request.own"]);
		assert.equal((await approve(theirs.id)).status, 200);
		await service.asAdmin("DELETE", `${APPLICATIONS}/${app}/managers/${manager.id}`);
		assert.equal((await approve(own.id)).status, 403);
		assert.equal((await service.call("GET", `${APPLICATIONS}/${app}`, { token })).status, 403);
	});

	it("is nothing through the token of an application, when disabled, and after a deletion", async () => {
		const [manager, app] = [await newPerson(), await addRequestable(service)];
		const path = `${APPLICATIONS}/${app}`;
		await service.asAdmin("PUT", `${path}/managers/${manager.id}`);
		const held = await signInToApplication(service, manager);
		const refused = await service.call("GET", path, { token: held, headers: problem });
		assert.deepEqual([refused.status, refused.body.code], [403, "application.token"]);
		await service.asAdmin("DELETE", `/api/v1/users/${manager.id}`);
		assert.deepEqual(await service.asAdmin("GET", `${APPLICATIONS}/${app}/managers`), []);
	});
});

describe("a manager of a group", () => {
	it("adds others to it, not themselves, and removes no one", async () => {
		const [manager, person, group] = [await newPerson(), await newPerson(), await addGroup(service)];
		await service.asAdmin("PUT", `${GROUPS}/${group.id}/managers/${manager.id}`);
		const call = (method: string, id: string) =>
			service.call(method, `${GROUPS}/${group.id}/members/${id}`, { token: manager.token, headers: problem });
		assert.equal((await call("PUT", person.id)).status, 201);
		const own = await call("PUT", manager.id);
		assert.deepEqual([own.status, own.body.code], [403, "request.own"]);
		assert.equal((await call("DELETE", person.id)).status, 403);
		assert.equal((await service.call("GET", GROUPS, { token: manager.token })).status, 403);
	});
});
