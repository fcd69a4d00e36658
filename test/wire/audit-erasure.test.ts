// Deleting a user removes what the audit trail says about the user in words, and keeps the chain intact.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addGroup } from "../harness/access/groups.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const EVENTS = "/api/v1/audit-events";
const FIRST_NAME = "erasable-ada";
const NAME = "erasable-lovelace";
const DISPLAY_NAME = "Augusta Erasable";

const service = testService();

describe("the audit trail about a user", () => {
	let ada: Person;
	before(async () => {
		ada = await addPerson(service, FIRST_NAME);
		await addGroup(service, [ada.id], { name: "Erasers" });
		await service.call("PATCH", "/api/v1/users/me", {
			token: ada.token,
			body: { display_name: DISPLAY_NAME },
		});
		await service.call("POST", "/api/v1/auth/login", { body: { username: FIRST_NAME, password: "wrong" } });
		await service.asAdmin("PATCH", `/api/v1/users/${ada.id}`, { username: NAME, locale: "en" });
		await service.call("POST", "/api/v1/auth/login", { body: { username: NAME, password: ada.password } });
	});

	const list = async (query: string) => {
		return (await service.callAsAdmin("GET", `${EVENTS}?page_size=100&${query}`)).body;
	};
	const exported = async (): Promise<string> => {
		const token = await service.adminToken();
		const headers = { authorization: `Bearer ${token}` };
		return (await fetch(`${service.httpUrl}${EVENTS}/export`, { headers })).text();
	};
	/** All stored events and names of the user as text, and the number of the user's keys. */
	const stored = async (): Promise<{ readonly text: string; readonly keys: number }> => {
		await using beside = await openBeside(service);
		const { queries } = beside.engine;
		const rows = await queries.all("SELECT * FROM audit_events");
		const keys = await queries.all("SELECT id FROM user_keys WHERE id = $1", ada.id);
		const names = await queries.all("SELECT name FROM user_names WHERE user_id = $1", ada.id);
		return { text: JSON.stringify(rows), keys: keys.length + names.length };
	};
	const brokenAt = async () => (await service.asAdmin("GET", `${EVENTS}/chain`)).broken_at;

	it("is sealed in the database, and readable and searchable by each name of the user", async () => {
		const { text, keys } = await stored();
		for (const word of [FIRST_NAME, NAME, DISPLAY_NAME]) assert.ok(!text.includes(word), word);
		assert.equal(keys, 3);
		const early = await list(`target_name=${FIRST_NAME}`);
		assert.ok(early.total >= 4);
		assert.ok(early.data.every(({ target_name }) => target_name === FIRST_NAME));
		const created = early.data.find(({ action }) => action === "user.created");
		assert.equal(created?.details.username, FIRST_NAME);
		const renamed = early.data.find(({ changes }) => "username" in changes);
		assert.deepEqual(renamed?.changes.username, { from: FIRST_NAME, to: NAME });
		const shown = early.data.find(({ changes }) => "display_name" in changes);
		assert.deepEqual(shown?.changes.display_name, { from: "", to: DISPLAY_NAME });
		assert.equal((await list(`actor_name=${NAME}`)).data[0]?.summary.startsWith(NAME), true);
		assert.equal((await list(`target_name=${NAME}&action=user.created`)).total, 0);
		assert.ok((await exported()).includes(DISPLAY_NAME));
		assert.equal(await brokenAt(), null);
	});

	it("shows ids only once the user is deleted, and the chain stays intact", async () => {
		await exported();
		const searched = await list(`target=user:${ada.id}`);
		const removed = await service.callAsAdmin("DELETE", `/api/v1/users/${ada.id}`);
		assert.equal(removed.status, 204);
		const { text, keys } = await stored();
		assert.equal(keys, 0);
		const all = `${text}${await exported()}`;
		for (const word of [FIRST_NAME, NAME, DISPLAY_NAME]) assert.ok(!all.includes(word), word);
		const about = await list(`target=user:${ada.id}`);
		assert.equal(about.total, searched.total + 1);
		for (const { target_name, changes, details } of about.data) {
			assert.deepEqual([target_name, changes], ["", {}]);
			assert.ok(!("username" in details || "sealed" in details));
		}
		assert.equal(about.data[0]?.summary, `admin deleted user ${ada.id}`);
		assert.ok(about.data.some(({ details }) => details.group_name === "Erasers"));
		assert.equal((await list(`target_name=${NAME}`)).total, 0);
		assert.equal((await list(`actor_name=${FIRST_NAME}`)).total, 0);
		assert.equal(await brokenAt(), null);
	});

	it("says nothing about a later user of the same name who is not the same person", async () => {
		const another = await addPerson(service, NAME);
		const found = await list(`target_name=${NAME}`);
		assert.ok(found.total > 0);
		assert.ok(found.data.every(({ target }) => target === `user:${another.id}`));
	});
});
