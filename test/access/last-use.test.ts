// When grants were last used: by sign-ins, tokens, decisions, and requests at the gate, once a day.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSignInRecorder } from "../../src/features/access/applications/record-sign-ins.ts";
import { DAY_MS, HOUR_MS } from "../../src/kernel/clock.ts";
import { newId } from "../../src/kernel/id.ts";
import { flushAll } from "../../src/kernel/write-behind.ts";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import { inMs } from "../harness/access/ends.ts";
import { ask, BEHIND_PROXY, signedCall } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addGroup, GROUPS, putGroupGrant } from "../harness/access/groups.ts";
import { NOW, testDatabase } from "../harness/databases/database.ts";
import { storeApplication, storeTenant, storeUser } from "../harness/databases/stores.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const CHECK = "/api/v1/external/users/check-access";
const EVALUATION = "/access/v1/evaluation";

describe("last_used_at of grants", () => {
	const service = testService({ env: BEHIND_PROXY });
	const client = fixture(() => addApiClient(service, { scopes: ["access:check", "access:check:tenant"] }));
	const grantsOf = (appId: string, query = "") =>
		service.asAdmin(
			"GET",
			`${APPLICATIONS}/${appId}/grants${query}` as `${typeof APPLICATIONS}/${string}/grants`,
		);
	const heldBy = (userId: string) => service.asAdmin("GET", `/api/v1/users/${userId}/grants`);
	const used = (appId: string) =>
		eventually(
			() => grantsOf(appId),
			(grants) => grants.some(({ last_used_at }) => last_used_at !== null),
		);

	it("is set by a decision that allows, by a sign-in, and by a request at the gate", async () => {
		service.clock.standAt(service.clock.now());
		const app = await addApplication(service);
		await addRole(service, app.id, "reader", ["orders:read"]);
		const [ada, bob, eve] = await Promise.all(["ada", "bob", "eve"].map((name) => addPerson(service, name)));
		assert.ok(ada && bob && eve);
		const group = await addGroup(service, [ada.id, bob.id]);
		await putGroupGrant(service, app.id, group.id);
		await putGrant(service, app.id, eve.id);
		const other = await addApplication(service);
		await putGrant(service, other.id, bob.id);
		const gate = await addGate(service, { rules: [{ path: "/*", needs: "signed-in" }] });
		const partner = await addApiClient(service, { app_id: gate.application_id });
		const given = `${APPLICATIONS}/${gate.application_id}/grants/api-clients/${partner.id}` as const;
		await service.asAdmin("PUT", given, {});
		const at = inMs(service, 0);

		const question = { user_id: ada.id, app_id: app.id };
		assert.equal((await service.signed(client, "POST", CHECK, { body: question })).status, 200);
		const denied = { user_id: eve.id, app_id: app.id, permission: "orders:read" };
		assert.equal((await service.signed(client, "POST", CHECK, { body: denied })).status, 200);
		const evaluation = {
			subject: { type: "user", id: eve.id },
			action: { name: "@access" },
			resource: { type: "application", id: app.id },
		};
		const { key } = await addAdminKey(service);
		const asked = await service.call("POST", EVALUATION, { https: true, token: key, body: evaluation });
		assert.deepEqual([asked.status, asked.body.decision], [200, true]);
		const { username, password } = bob;
		const login = { username, password, app_id: other.id };
		assert.equal((await service.call("POST", "/api/v1/auth/login", { body: login })).status, 200);
		const { gate_key = "", application_id } = gate;
		const headers = signedCall(service, partner, "/orders");
		const { outcome } = await ask(service, { application_id, gate_key }, "/orders", { headers });
		assert.equal(outcome, `200 partner:${partner.id}`);

		const byHolder = (grants: Awaited<ReturnType<typeof grantsOf>>) =>
			grants.map(({ user_id, group_id, api_client_id, last_used_at }) => [
				user_id ?? group_id ?? api_client_id,
				last_used_at,
			]);
		assert.deepEqual(byHolder(await used(other.id)), [[bob.id, at]]);
		assert.deepEqual(byHolder(await used(application_id)), [[partner.id, at]]);
		assert.deepEqual(byHolder(await used(app.id)), [
			[eve.id, null],
			[group.id, at],
		]);
		const ofPerson = async (id: string) =>
			(await heldBy(id)).map(({ app_id, last_used_at }) => [app_id, last_used_at]).sort();
		assert.deepEqual(await ofPerson(ada.id), [[app.id, at]]);
		assert.deepEqual(
			await ofPerson(bob.id),
			[
				[app.id, null],
				[other.id, at],
			].sort(),
			"another member used the group's grant",
		);
		assert.equal((await putGrant(service, other.id, bob.id)).last_used_at, at);

		service.clock.advance(2 * DAY_MS);
		const since = `?unused_since=${inMs(service, -DAY_MS)}`;
		assert.equal((await grantsOf(app.id, since)).length, 2);
		assert.equal((await grantsOf(app.id, `?unused_since=${at}`)).length, 0);
		assert.equal((await service.signed(client, "POST", CHECK, { body: question })).status, 200);
		const again = await eventually(
			() => grantsOf(app.id, since),
			(grants) => grants.length < 2,
		);
		assert.deepEqual(byHolder(again), [[eve.id, null]]);
	});

	it("of a new membership does not continue that of the former", async () => {
		const app = await addApplication(service);
		const person = await addPerson(service, "rejoining");
		const group = await addGroup(service, [person.id]);
		await putGroupGrant(service, app.id, group.id);
		const body = { user_id: person.id, app_id: app.id };
		await service.signed(client, "POST", CHECK, { body });
		await used(app.id);
		assert.notEqual((await heldBy(person.id))[0]?.last_used_at, null);
		await service.asAdmin("DELETE", `${GROUPS}/${group.id}/members/${person.id}`);
		await service.asAdmin("PUT", `${GROUPS}/${group.id}/members/${person.id}`);
		assert.equal((await heldBy(person.id))[0]?.last_used_at, null);
	});
});

describe("the record of uses", () => {
	const stores = testDatabase();
	const DAY = NOW - (NOW % DAY_MS);

	it("writes nothing for further uses of an hour, and one row a day", async () => {
		const tenantId = await storeTenant(stores);
		const appId = await storeApplication(stores, tenantId);
		const subject = { kind: "user", id: await storeUser(stores, tenantId) } as const;
		const { grants } = stores.db.stores;
		const put = { id: newId(NOW), tenantId, appId, subject, roleIds: [], grantedBy: null };
		await grants.put({ ...put, createdAtMs: NOW, updatedAtMs: NOW });
		let transactions = 0;
		const recorder = createSignInRecorder({
			stores: stores.db.stores,
			transaction: (work) => {
				transactions++;
				return stores.db.transaction(work);
			},
		});
		const useAt = async (atMs: number) => {
			for (let call = 0; call < 1_000; call++) recorder.noteUse({ tenantId, appId, subject, atMs });
			await flushAll(recorder.buffers);
			return [transactions, (await grants.find(tenantId, appId, subject))?.lastUsedAtMs];
		};
		const first = DAY + 8 * HOUR_MS;
		assert.deepEqual(await useAt(first), [1, first]);
		assert.deepEqual(await useAt(first + 1_000), [1, first]);
		assert.deepEqual(await useAt(first + HOUR_MS), [2, first]);
		assert.deepEqual(await useAt(first + DAY_MS), [3, first + DAY_MS]);
		assert.deepEqual(await useAt(first), [4, first + DAY_MS], "the clock was set back");
	});

	it("ignores grants that were over, other tenants, and what was deleted", async () => {
		const [tenantId, other] = [await storeTenant(stores), await storeTenant(stores)];
		const appId = await storeApplication(stores, tenantId);
		const subject = { kind: "user", id: await storeUser(stores, tenantId) } as const;
		const { grants } = stores.db.stores;
		const put = { id: newId(NOW), tenantId, appId, subject, roleIds: [], grantedBy: null };
		const expiresAtMs = NOW + DAY_MS;
		await grants.put({ ...put, expiresAtMs, createdAtMs: NOW, updatedAtMs: NOW });
		const absent = { kind: "user", id: newId(NOW) } as const;
		for (const use of [
			{ tenantId: other, appId, subject, atMs: NOW },
			{ tenantId, appId, subject: absent, atMs: NOW },
			{ tenantId, appId, subject, atMs: expiresAtMs },
		])
			await stores.db.transaction((within) => within.grants.noteUses([use]));
		assert.equal((await grants.find(tenantId, appId, subject))?.lastUsedAtMs, null);
	});
});
