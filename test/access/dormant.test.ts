// People and API clients without use are warned, and disabled 14 days later.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { submitApproved } from "../harness/access/access-requests.ts";
import { API_CLIENTS, addApiClient, addApplication, putGrant } from "../harness/access/applications.ts";
import { runDormancy, setDormancy } from "../harness/access/dormancy.ts";
import { inMs } from "../harness/access/ends.ts";
import { addAdminKey, statusWith } from "../harness/people/admin-keys.ts";
import { addPerson, auditOf, isAlive, type Person } from "../harness/people/people.ts";
import { forgot, reset, resetTokenFor } from "../harness/people/recovery.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addDirectory, USER } from "../harness/providers/directories.ts";
import { testService } from "../harness/runs/fixture.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const CHECK = "/api/v1/external/users/check-access";
const USERS = "/api/v1/users";
const NEW_PASSWORD = "another password after the break";

const service = testService();
/** With the job as it runs every few minutes. */
const passDays = async (days: number): Promise<void> => {
	service.clock.advance(days * DAY_MS);
	await runDormancy(service);
};
const login = ({ username, password }: Person, app_id?: string) =>
	service.call("POST", "/api/v1/auth/login", { body: { username, password, app_id } });
const stateOf = async ({ id }: { readonly id: string }) => {
	const { status, disabled_reason } = await service.asAdmin("GET", `${USERS}/${id}`);
	return [status, disabled_reason];
};
const patch = ({ id }: Person, body: object) => service.asAdmin("PATCH", `${USERS}/${id}`, body);
const warningsOf = async ({ id }: { readonly id: string }) =>
	(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.dormancy_warned").length;
const addDormant = async (name: string): Promise<Person> => {
	const person = await addPerson(service, name);
	await passDays(17);
	await passDays(14);
	assert.deepEqual(await stateOf(person), ["disabled", "dormant"]);
	return person;
};
const ACTIVE = ["active", null];
const DORMANT = ["disabled", "dormant"];

describe("a person without use", () => {
	it("is warned by mail 14 days before, and then disabled, with sessions and admin keys", async () => {
		service.clock.standAt(service.clock.now());
		await setDormancy(service, 30);
		const person = await addPerson(service, "gone", { roles: ["admin"] });
		const key = await addAdminKey(service, { expires_at: inMs(service, 60 * DAY_MS) }, person.token);
		await passDays(15.9);
		assert.equal(await warningsOf(person), 0);
		await passDays(0.2);
		const [mail] = await service.mailsTo(person.email);
		assert.match(mail?.subject ?? "", /^Your account will be disabled on /);
		assert.ok(mail?.text?.includes(`${service.httpsUrl}/sign-in`));
		await passDays(13.8);
		assert.deepEqual(await stateOf(person), ACTIVE);
		await passDays(0.2);
		assert.deepEqual(await stateOf(person), DORMANT);
		assert.equal(await isAlive(service, person.token), false);
		assert.equal(await statusWith(service, key), 401);
		const refused = await login(person);
		assert.deepEqual([refused.status, /reset the password/.test(refused.body.error)], [403, true]);
		const events = (await auditOf(service, `user:${person.id}`)).filter(({ actor }) => actor === "system");
		assert.deepEqual(
			events
				.map(({ action, details }) => [action, details.status ?? null, details.reason ?? null])
				.slice(0, 2),
			[
				["user.dormancy_warned", null, null],
				["user.updated", "disabled", "dormant"],
			],
		);
		const { body } = await service.callAsAdmin("GET", `${USERS}?status=disabled`);
		assert.ok(body.data.some(({ id }) => id === person.id));
	});

	it("stays active by a sign-in, a refresh, or a decision after the warning", async () => {
		await setDormancy(service, 30);
		const [signing, refreshing, decided] = await Promise.all(
			["signing", "refreshing", "decided"].map((name) => addPerson(service, name)),
		);
		assert.ok(signing && refreshing && decided);
		const app = await addApplication(service);
		await putGrant(service, app.id, decided.id);
		await passDays(15.5);
		const client = await addApiClient(service, { app_id: app.id });
		let { refresh_token } = (await login(refreshing)).body.data;
		await passDays(6);
		for (const person of [signing, decided]) assert.equal(await warningsOf(person), 1);
		const refresh = async () => {
			const answer = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
			assert.equal(answer.status, 200);
			refresh_token = answer.body.data.refresh_token;
		};
		await refresh();
		assert.equal((await login(signing)).status, 200);
		const body = { user_id: decided.id };
		assert.equal((await service.signed(client, "POST", CHECK, { body })).status, 200);
		await eventually(
			async () => {
				await using engine = await service.openDatabase();
				const sql = "SELECT count(*) AS seen FROM users WHERE id IN ($1, $2) AND last_seen_at IS NOT NULL";
				const row = await engine.queries.one<{ seen: number }>(sql, refreshing.id, decided.id);
				return row?.seen;
			},
			(seen) => seen === 2,
		);
		await passDays(14);
		for (const person of [signing, refreshing, decided]) assert.deepEqual(await stateOf(person), ACTIVE);
		await passDays(17);
		for (const person of [signing, refreshing, decided]) assert.deepEqual(await stateOf(person), ACTIVE);
		await passDays(14);
		for (const person of [signing, refreshing, decided]) assert.deepEqual(await stateOf(person), DORMANT);
		assert.deepEqual([await warningsOf(signing), await warningsOf(decided)], [2, 2]);
	});

	it("is warned first when the setting is new, however long ago the last use was", async () => {
		await setDormancy(service, null);
		const person = await addPerson(service, "old");
		await passDays(400);
		assert.deepEqual([await stateOf(person), await warningsOf(person)], [ACTIVE, 0]);
		await setDormancy(service, 30);
		await runDormancy(service);
		assert.deepEqual([await stateOf(person), await warningsOf(person)], [ACTIVE, 1]);
		await passDays(14);
		assert.deepEqual(await stateOf(person), DORMANT);
	});

	it("is warned again, and not disabled, when the clock has jumped or the job stood still", async () => {
		await setDormancy(service, 30);
		const person = await addPerson(service, "jumping");
		await passDays(17);
		await passDays(365);
		assert.deepEqual([await stateOf(person), await warningsOf(person)], [ACTIVE, 2]);
		service.clock.standAt(service.clock.now() - 380 * DAY_MS);
		await runDormancy(service);
		assert.deepEqual([await stateOf(person), await warningsOf(person)], [ACTIVE, 2]);
		service.clock.standAt(service.clock.now() + 380 * DAY_MS);
	});

	it("is warned once and disabled once by two nodes at the same time", async () => {
		await setDormancy(service, 30);
		const person = await addPerson(service, "twice");
		for (const days of [17, 14]) {
			service.clock.advance(days * DAY_MS);
			await Promise.all([runDormancy(service), runDormancy(service), runDormancy(service)]);
		}
		const events = (await auditOf(service, `user:${person.id}`)).filter(({ actor }) => actor === "system");
		assert.deepEqual(events.map(({ action }) => action).sort(), ["user.dormancy_warned", "user.updated"]);
		assert.equal((await service.mailsTo(person.email)).length, 1);
	});

	it("who signs in at the moment of the end is either active or refused", async () => {
		await setDormancy(service, 30);
		const people = await Promise.all(
			Array.from({ length: 20 }, (_, index) => addPerson(service, `racing-${index}`)),
		);
		await passDays(17);
		service.clock.advance(14 * DAY_MS);
		const [, ...answers] = await Promise.all([
			runDormancy(service),
			...people.map((person) => login(person)),
		]);
		await runDormancy(service);
		for (const [index, { status, body }] of answers.entries()) {
			const person = people[index] as Person;
			const [state] = await stateOf(person);
			assert.equal(state, status === 200 ? "active" : "disabled", person.username);
			if (status === 200) assert.equal(await isAlive(service, body.data.access_token), true);
		}
	});

	it("is never one whom a directory keeps active", async () => {
		await setDormancy(service, 30);
		const directory = await addDirectory(service);
		const { body: kept } = await directory.scim("POST", "Users", {
			schemas: [USER],
			externalId: "kept-active",
			userName: "directed@corp.example",
			active: true,
			emails: [{ primary: true, value: "directed@corp.example" }],
		});
		await passDays(17);
		await passDays(14);
		assert.deepEqual([await stateOf(kept), await warningsOf(kept)], [ACTIVE, 0]);
		assert.equal((await directory.scim("DELETE", `Users/${kept.id}`)).status, 204);
		assert.deepEqual(await stateOf(kept), ["disabled", null]);
		await service.asAdmin("PATCH", `${USERS}/${kept.id}`, { status: "active" });
		await passDays(17);
		await passDays(14);
		assert.deepEqual(await stateOf(kept), DORMANT);
	});

	it("is never the last active platform admin", async () => {
		await setDormancy(service, 30);
		const { id } = await service.asAdmin("GET", `${USERS}/me`);
		const other = await addPerson(service, "other-admin", { roles: ["admin"] });
		for (const days of [17, 14]) {
			service.clock.advance(days * DAY_MS);
			assert.equal((await login(other)).status, 200);
			await runDormancy(service);
		}
		await using engine = await service.openDatabase();
		const row = await engine.queries.one<{ status: string }>("SELECT status FROM users WHERE id = $1", id);
		assert.equal(row?.status, "active");
	});

	it("is never the last active administrator of a tenant", async () => {
		const { id, adminToken: token, adminId } = await addSecondTenant(service);
		await setDormancy(service, 30, null, id);
		const body = {
			username: "deputy",
			email: "deputy@second.example",
			password: NEW_PASSWORD,
			roles: ["admin"],
		};
		const deputy = (await service.call("POST", USERS, { token, body })).body.data;
		await passDays(31);
		service.clock.advance(14 * DAY_MS);
		await Promise.all([runDormancy(service), runDormancy(service)]);
		await using engine = await service.openDatabase();
		const states = await engine.queries.all<{ status: string; warned: number | null }>(
			"SELECT status, dormancy_warned_at AS warned FROM users WHERE id IN ($1, $2) ORDER BY status",
			adminId,
			deputy.id,
		);
		assert.deepEqual(
			states.map(({ status }) => status),
			["active", "disabled"],
		);
		await passDays(60);
		const later = await engine.queries.all(
			"SELECT status FROM users WHERE status = 'active' AND tenant_id = $1",
			id,
		);
		assert.equal(later.length, 1);
	});
});

describe("a person who was disabled as dormant", () => {
	it("is enabled by a new password within 30 days, and not disabled again at once", async () => {
		await setDormancy(service, 30);
		const person = await addDormant("returning");
		service.clock.advance(29.9 * DAY_MS);
		const token = await resetTokenFor(service, person.email, 1);
		assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
		assert.deepEqual(await stateOf(person), ACTIVE);
		await runDormancy(service);
		assert.equal((await login({ ...person, password: NEW_PASSWORD })).status, 200);
		const [event] = (await auditOf(service, `user:${person.id}`)).filter(
			({ details }) => details.reason === "password_reset",
		);
		assert.deepEqual([event?.actor, event?.details.status], [`user:${person.id}`, "active"]);
		const question = {
			user_id: person.id,
			app_id: (await addApplication(service, { access_policy: "open" })).id,
		};
		const at = new Date(service.clock.now()).toISOString();
		assert.equal(
			(await service.asAdmin("POST", "/api/v1/access/explain", { ...question, at })).allowed,
			true,
		);
	});

	it("gets no link after 30 days, nor once an administrator has disabled the account", async () => {
		await setDormancy(service, 30);
		const [late, left] = [await addDormant("late"), await addDormant("left")];
		const token = await resetTokenFor(service, left.email);
		const { disabled_reason } = await patch(left, { status: "disabled" });
		assert.equal(disabled_reason, null);
		assert.equal((await reset(service, token, NEW_PASSWORD)).status, 404);
		service.clock.advance(31 * DAY_MS);
		for (const { email } of [late, left]) assert.equal((await forgot(service, email)).status, 202);
		const { body } = await service.callAsAdmin("GET", `/api/v1/mails?to=${late.email}`);
		assert.equal(body.data.length, 1, "only the warning");
		assert.equal((await service.callAsAdmin("POST", `${USERS}/${late.id}/send-reset`)).status, 409);
		assert.deepEqual([await stateOf(late), await stateOf(left)], [DORMANT, ["disabled", null]]);
	});

	it("is enabled by an administrator for as long as a new account", async () => {
		await setDormancy(service, 30);
		const person = await addDormant("kept");
		assert.equal((await patch(person, { status: "active" })).disabled_reason, null);
		await passDays(15);
		assert.deepEqual([await stateOf(person), await warningsOf(person)], [ACTIVE, 1]);
		await passDays(2);
		assert.equal(await warningsOf(person), 2);
		await passDays(14);
		assert.deepEqual(await stateOf(person), DORMANT);
	});
});

describe("an API client without use", () => {
	const clientState = async (id: string) => {
		const { status, disabled_reason } = await service.asAdmin("GET", `${API_CLIENTS}/${id}`);
		return [status, disabled_reason];
	};

	it("is warned, disabled, and enabled by an administrator; a request keeps it", async () => {
		await setDormancy(service, null, 30);
		const [unused, used] = [await addApiClient(service), await addApiClient(service)];
		const request = await submitApproved(service, { email: "owner@partner.example" });
		await passDays(17);
		const whoami = (client: typeof used) => service.signed(client, "GET", "/api/v1/external/whoami");
		assert.equal((await whoami(used)).status, 200);
		await eventually(
			() => service.asAdmin("GET", `${API_CLIENTS}/${used.id}`),
			({ last_used_at }) => last_used_at !== null,
		);
		await passDays(14);
		assert.deepEqual(await clientState(unused.id), DORMANT);
		assert.deepEqual(await clientState(used.id), ACTIVE);
		assert.deepEqual(await clientState(request.api_client_id ?? ""), ["unclaimed", null]);
		assert.equal((await whoami(unused)).status, 401);
		const events = (await auditOf(service, `api_client:${unused.id}`)).filter(
			({ actor }) => actor === "system",
		);
		assert.deepEqual(
			events.map(({ action, details }) => [action, details.reason ?? null]),
			[
				["api_client.dormancy_warned", null],
				["api_client.updated", "dormant"],
			],
		);
		const enabled = await service.asAdmin("PATCH", `${API_CLIENTS}/${unused.id}`, { status: "active" });
		assert.deepEqual([enabled.status, enabled.disabled_reason], ACTIVE);
		await passDays(15);
		assert.equal((await whoami(unused)).status, 200);
	});
});
