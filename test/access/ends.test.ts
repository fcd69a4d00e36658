// Ends of grants and memberships: how they are set, and that every decision refuses at the end, without a job.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	problemOf,
} from "../harness/access/applications.ts";
import { inMs as inMsOf, runRemoval } from "../harness/access/ends.ts";
import { addGroup, GROUPS, putGroupGrant } from "../harness/access/groups.ts";
import { addPerson, auditOf, isAlive, signInAgain } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365.25 * 24 * HOUR;

const service = testService();
const client = fixture(() => addApiClient(service, { scopes: ["access:check", "access:check:tenant"] }));

const inMs = (ms: number): string => inMsOf(service, ms);
interface Answer {
	readonly status: number;
	readonly body: { readonly data: Record<string, unknown> };
}
const asAdmin = async (method: "PUT" | "DELETE" | "GET", path: string, body?: unknown): Promise<Answer> => {
	const answer = await service.callAsAdmin(method, path as "/", { body });
	return answer as unknown as Answer;
};
const grantPath = (app: string, user: string) => `${APPLICATIONS}/${app}/grants/users/${user}`;
const listed = async (path: string): Promise<Record<string, unknown>[]> => {
	const { status, body } = await asAdmin("GET", path);
	assert.equal(status, 200, JSON.stringify(body));
	return body.data as unknown as Record<string, unknown>[];
};

/** Stops the clock, so that a test can stand at an end. */
const stand = (): void => service.clock.standAt(service.clock.now());

async function allowed(user_id: string, app_id: string): Promise<boolean> {
	const { body } = await service.signed(client, "POST", "/api/v1/external/users/check-access", {
		body: { user_id, app_id },
	});
	return (body as unknown as { data: { allowed: boolean } }).data.allowed;
}

describe("the end of a grant", () => {
	it("stays when a PUT leaves it out, and is in lists, audit, and changes", async () => {
		stand();
		const app = await addApplication(service);
		await addRole(service, app.id, "reader");
		const { id: user } = await addPerson(service, "temporary");
		const path = grantPath(app.id, user);
		const expires_at = inMs(HOUR);
		const created = await asAdmin("PUT", path, { roles: [], expires_at, reason: "Audit of May" });
		assert.deepEqual([created.status, created.body.data.expires_at], [201, expires_at]);
		const renewed = await asAdmin("PUT", path, { roles: ["reader"] });
		assert.equal(renewed.status, 200);
		const { roles, reason, expires_at: kept } = renewed.body.data;
		assert.deepEqual([roles, reason, kept], [["reader"], "Audit of May", expires_at]);
		const later = inMs(2 * HOUR);
		assert.equal((await asAdmin("PUT", path, { roles: ["reader"], expires_at: later })).status, 200);
		const endless = await asAdmin("PUT", path, { roles: ["reader"], expires_at: null, reason: "" });
		assert.deepEqual([endless.body.data.expires_at, endless.body.data.reason], [null, ""]);
		const events = (await listed(`/api/v1/audit-events?target=user:${user}`))
			.filter(({ action }) => String(action).startsWith("grant."))
			.toReversed();
		assert.deepEqual(
			events.map(({ action, details, changes }) => [
				action,
				(details as Record<string, unknown>).expires_at,
				changes,
			]),
			[
				["grant.created", expires_at, {}],
				["grant.updated", expires_at, { roles: { from: [], to: ["reader"] } }],
				["grant.updated", later, { expires_at: { from: expires_at, to: later } }],
				[
					"grant.updated",
					null,
					{ expires_at: { from: later, to: null }, reason: { from: "Audit of May", to: "" } },
				],
			],
		);
	});

	it("is from one minute to five years ahead", async () => {
		stand();
		const app = await addApplication(service);
		const { id: user } = await addPerson(service, "bounded");
		const group = await addGroup(service);
		for (const path of [grantPath(app.id, user), `${GROUPS}/${group.id}/members/${user}`])
			for (const [ms, isRefused] of [
				[59_999, true],
				[60_000, false],
				[1_827 * 24 * HOUR, false],
				[1_827 * 24 * HOUR + 1, true],
				[-YEAR, true],
			] as const) {
				const body = { expires_at: inMs(ms) };
				const { status, fields } = await problemOf(service, "PUT", path, body);
				assert.deepEqual(
					isRefused ? [status, fields] : [status < 300],
					isRefused ? [400, ["expires_at"]] : [true],
				);
			}
	});

	it("is refused by every decision from that millisecond on", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "leaving");
		const group = await addGroup(service);
		await putGroupGrant(service, app.id, group.id);
		for (const [path, remaining] of [
			[grantPath(app.id, person.id), [null]],
			[`${GROUPS}/${group.id}/members/${person.id}`, [null]],
			[`${APPLICATIONS}/${app.id}/grants/groups/${group.id}`, []],
		] as const) {
			await asAdmin("PUT", path, { expires_at: inMs(HOUR) });
			if (path.includes("/grants/groups/"))
				await asAdmin("PUT", `${GROUPS}/${group.id}/members/${person.id}`);
			const token = () => signInAgain(service, person);
			const held = await token();
			const usable = async () =>
				(await service.call("GET", APPLICATIONS, { token: held })).body.data.map(({ id }) => id);
			assert.equal(await allowed(person.id, app.id), true, path);
			assert.deepEqual(await usable(), [app.id]);
			service.clock.advance(HOUR - 1);
			assert.equal(await allowed(person.id, app.id), true);
			const moment = inMs(0);
			service.clock.advance(1);
			assert.equal(await allowed(person.id, app.id), false);
			const { username, password } = person;
			const body = { username, password, app_id: app.id };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 403);
			const fresh = await token();
			assert.deepEqual((await service.call("GET", APPLICATIONS, { token: fresh })).body.data, []);
			assert.deepEqual(
				(await service.call("GET", "/api/v1/users/me/grants", { token: fresh })).body.data,
				[],
			);
			assert.deepEqual(
				(await listed(`${APPLICATIONS}/${app.id}/grants`)).map(({ expires_at }) => expires_at),
				remaining,
			);
			const question = { user_id: person.id, app_id: app.id };
			const explain = (at?: string) => service.asAdmin("POST", "/api/v1/access/explain", { ...question, at });
			assert.equal((await explain()).allowed, false);
			assert.deepEqual([(await explain(moment)).allowed, (await explain(inMs(0))).allowed], [true, false]);
			assert.equal((await asAdmin("DELETE", path)).status, 404);
		}
	});

	it("that has passed makes a PUT create a new one, which does not inherit the end", async () => {
		stand();
		const app = await addApplication(service);
		await addRole(service, app.id, "reader");
		const { id: user } = await addPerson(service, "returning");
		const group = await addGroup(service);
		const member = `${GROUPS}/${group.id}/members/${user}`;
		const first = await asAdmin("PUT", grantPath(app.id, user), {
			roles: ["reader"],
			expires_at: inMs(HOUR),
		});
		await asAdmin("PUT", member, { expires_at: inMs(HOUR) });
		service.clock.advance(HOUR);
		const second = await asAdmin("PUT", grantPath(app.id, user), {});
		assert.equal(second.status, 201);
		assert.notEqual(second.body.data.id, first.body.data.id);
		assert.deepEqual([second.body.data.expires_at, second.body.data.roles], [null, []]);
		const again = await asAdmin("PUT", member, {});
		assert.deepEqual([again.status, again.body.data.expires_at], [201, null]);
	});

	it("orders and filters the lists", async () => {
		stand();
		const app = await addApplication(service);
		const [one, two, three] = await Promise.all(
			["l-one", "l-two", "l-three"].map((name) => addPerson(service, name)),
		);
		for (const [person, ms] of [
			[one, 3 * HOUR],
			[two, null],
			[three, 2 * HOUR],
		] as const)
			await asAdmin("PUT", grantPath(app.id, person?.id ?? ABSENT_ID), {
				expires_at: ms === null ? null : inMs(ms),
			});
		const names = async (query: string) =>
			(await listed(`${APPLICATIONS}/${app.id}/grants?${query}`)).map(({ username }) => username);
		assert.deepEqual(await names("sort=expires_at"), ["l-three", "l-one", "l-two"]);
		assert.deepEqual(await names(`expires_before=${inMs(3 * HOUR)}`), ["l-three"]);
		const held = await listed(
			`/api/v1/users/${one?.id}/grants?sort=expires_at&expires_before=${inMs(4 * HOUR)}`,
		);
		assert.deepEqual(
			held.map(({ app_id, expires_at }) => [app_id, expires_at]),
			[[app.id, inMs(3 * HOUR)]],
		);
	});

	it("orders the members, the groups, and the access of groups, and what a request for a user includes", async () => {
		stand();
		const { id: user } = await addPerson(service, "o-member");
		const ends = [3 * HOUR, null, 2 * HOUR, null];
		const groups: string[] = [];
		for (const [index, ms] of ends.entries()) {
			const { id } = await addGroup(service, [], { name: `Order ${index}` });
			groups.push(id);
			await asAdmin("PUT", `${GROUPS}/${id}/members/${user}`, { expires_at: ms === null ? null : inMs(ms) });
			service.clock.advance(1_000);
		}
		const named = async (path: string, field: string) =>
			(await listed(path)).map((row) => Reflect.get(row, field));
		const ordered = ["Order 2", "Order 0", "Order 3", "Order 1"];
		assert.deepEqual(await named(`/api/v1/users/${user}/groups?sort=expires_at`, "name"), ordered);
		const included = await service.asAdmin("GET", `/api/v1/users/${user}?include=groups`);
		assert.deepEqual(
			included.groups?.data.map(({ name }) => name),
			ordered,
		);
		const group = groups[0] ?? ABSENT_ID;
		const { id: other } = await addPerson(service, "o-other");
		await asAdmin("PUT", `${GROUPS}/${group}/members/${other}`);
		const members = `${GROUPS}/${group}/members`;
		assert.deepEqual(await named(members, "username"), ["o-other", "o-member"]);
		assert.deepEqual(await named(`${members}?sort=expires_at`, "username"), ["o-member", "o-other"]);
		const apps: string[] = [];
		for (const ms of [2 * HOUR, null, HOUR]) {
			const { id, name } = await addApplication(service);
			apps.push(name);
			const path = `${APPLICATIONS}/${id}/grants/groups/${group}` as const;
			await asAdmin("PUT", path, { expires_at: ms === null ? null : inMs(ms) });
		}
		assert.deepEqual(await named(`${GROUPS}/${group}/grants?sort=expires_at`, "app_name"), [
			apps[2],
			apps[0],
			apps[1],
		]);
	});

	it("is removed by a job, which audits it and ends the sessions that nothing else allows", async () => {
		stand();
		const app = await addApplication(service);
		const [alone, grouped] = await Promise.all(["alone", "grouped"].map((name) => addPerson(service, name)));
		assert.ok(alone && grouped);
		const group = await addGroup(service, [grouped.id]);
		const byGroup = await putGroupGrant(service, app.id, group.id);
		const member = `${GROUPS}/${group.id}/members/${alone.id}`;
		await asAdmin("PUT", member, { expires_at: inMs(HOUR) });
		for (const { id } of [alone, grouped])
			await asAdmin("PUT", grantPath(app.id, id), { expires_at: inMs(HOUR) });
		const signIn = async ({ username, password }: typeof alone) => {
			const body = { username, password, app_id: app.id };
			return (await service.call("POST", "/api/v1/auth/login", { body })).body.data.access_token;
		};
		const tokens = [await signIn(alone), await signIn(grouped)];
		const alive = () => Promise.all(tokens.map((token) => isAlive(service, token)));
		await runRemoval(service);
		service.clock.advance(10 * MINUTE);
		assert.deepEqual(await alive(), [true, true]);
		await asAdmin("PUT", member, { expires_at: inMs(MINUTE) });
		for (const { id } of [alone, grouped])
			await asAdmin("PUT", grantPath(app.id, id), { expires_at: inMs(MINUTE) });
		service.clock.advance(MINUTE);
		const removed = await Promise.all([runRemoval(service), runRemoval(service)]);
		assert.equal(removed[0] + removed[1], 3);
		assert.deepEqual(await alive(), [false, true]);
		const ended = (await auditOf(service, `user:${alone.id}`)).filter(({ action }) =>
			action.endsWith("expired"),
		);
		assert.deepEqual(ended.map(({ actor, action }) => [actor, action]).sort(), [
			["system", "grant.expired"],
			["system", "group.member_expired"],
		]);
		const question = { user_id: alone.id, app_id: app.id };
		const explained = await service.asAdmin("POST", "/api/v1/access/explain", question);
		assert.deepEqual([explained.allowed, explained.needed.map(({ what }) => what)], [false, ["grant"]]);
		const at = inMs(0);
		assert.deepEqual(explained.ended.map(({ group, ended_at }) => [group?.id ?? "", ended_at]).sort(), [
			["", at],
			[group.id, at],
		]);
		assert.equal((await listed(`${APPLICATIONS}/${app.id}/grants`))[0]?.id, byGroup.id);
	});

	it("stays in the past after the clock was set back by an hour", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "clocked");
		await asAdmin("PUT", grantPath(app.id, person.id), { expires_at: inMs(HOUR) });
		service.clock.advance(HOUR + 1);
		assert.equal(await allowed(person.id, app.id), false);
		// An event of the tenant: others know the time by it.
		await addApplication(service);
		service.clock.standAt(service.clock.now() - HOUR);
		assert.equal(await allowed(person.id, app.id), false);
		assert.equal((await asAdmin("PUT", grantPath(app.id, person.id), {})).status, 201);
		service.clock.standAt(service.clock.now() + HOUR);
	});

	it("stays in the past after the clock was set back, and events followed", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "set-back");
		await asAdmin("PUT", grantPath(app.id, person.id), { expires_at: inMs(HOUR) });
		service.clock.advance(HOUR + 1);
		await addApplication(service);
		service.clock.standAt(service.clock.now() - HOUR);
		await addApplication(service);
		assert.equal(await allowed(person.id, app.id), false);
		service.clock.standAt(service.clock.now() + HOUR);
	});

	it("that is over by the newest event is refused while the clock is behind", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "behind");
		const group = await addGroup(service);
		service.clock.advance(HOUR);
		await addApplication(service);
		service.clock.standAt(service.clock.now() - HOUR);
		for (const path of [grantPath(app.id, person.id), `${GROUPS}/${group.id}/members/${person.id}`]) {
			const { status, fields } = await problemOf(service, "PUT", path, { expires_at: inMs(HOUR / 2) });
			assert.deepEqual([status, fields], [400, ["expires_at"]], path);
		}
		service.clock.standAt(service.clock.now() + HOUR);
	});

	it("of a membership and of the group's grant at once ends the sessions", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "project");
		const group = await addGroup(service);
		await putGroupGrant(service, app.id, group.id);
		await asAdmin("PUT", `${GROUPS}/${group.id}/members/${person.id}`, { expires_at: inMs(MINUTE) });
		await asAdmin("PUT", `${APPLICATIONS}/${app.id}/grants/groups/${group.id}`, { expires_at: inMs(MINUTE) });
		const { username, password } = person;
		const body = { username, password, app_id: app.id };
		const login = await service.call("POST", "/api/v1/auth/login", { body });
		const { access_token: token } = login.body.data;
		service.clock.advance(MINUTE);
		await runRemoval(service);
		assert.equal(await isAlive(service, token), false);
	});

	it("of a group's grant makes it absent for the person who gives it back", async () => {
		stand();
		const app = await addApplication(service);
		const person = await addPerson(service, "giver");
		const group = await addGroup(service, [person.id]);
		const { id } = await putGroupGrant(service, app.id, group.id);
		await asAdmin("PUT", `${APPLICATIONS}/${app.id}/grants/groups/${group.id}`, { expires_at: inMs(MINUTE) });
		service.clock.advance(MINUTE);
		const token = await signInAgain(service, person);
		const answer = await service.call("DELETE", `/api/v1/users/me/grants/${id}` as "/", { token });
		assert.equal(answer.status, 404);
	});
});
