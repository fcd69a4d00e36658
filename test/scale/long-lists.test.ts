// No list delays other requests, regardless of its number of rows.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { storedWebhookDeliveries } from "../../src/adapters/sql/tables/record-tables.ts";
import { submitApproved } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, putGrant } from "../harness/access/applications.ts";
import { addGroup } from "../harness/access/groups.ts";
import { addPerson, withDatabase } from "../harness/people/people.ts";
import { addTenant } from "../harness/people/tenants.ts";
import { longestBusyMs } from "../harness/runs/busy.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";
import { addWebhook } from "../harness/webhooks/webhooks.ts";
import { copiesOf, copyRows } from "./many-rows.ts";

const ROWS = 100_000;
const MOST_HELD_MS = 20;
/** A garbage collection may affect one measurement. */
const MEASUREMENTS = 3;
const FAR = `page=${ROWS / 100}&page_size=100`;

const service = testService();
const filled = fixture(async () => {
	const app = await addApplication(service);
	await addApiClient(service, { app_id: app.id });
	const request = await submitApproved(service);
	await addTenant(service);
	const person = await addPerson(service, "person");
	const group = await addGroup(service, [person.id]);
	await putGrant(service, app.id, person.id);
	const webhook = await addWebhook(service);
	await withDatabase(service, async (engine) => {
		await storedWebhookDeliveries.insert(engine.queries, delivered(webhook));
		await copyRows(engine, copiesOf({ person: person.id, group: group.id, app: app.id }), ROWS);
	});
	const token = await service.adminToken();
	return { app, group, person, request, token, webhook };
});

function delivered({ id: webhookId, tenant_id: tenantId }: DataOf<"POST /api/v1/webhooks">) {
	const at = {
		createdAtMs: 1,
		nextAttemptAtMs: 1,
		giveUpAtMs: 1,
		lastAttemptAtMs: 1,
		finishedAtMs: Date.now(),
	};
	const attempts = { attempts: 1, roundAttempts: 1, lastStatusCode: 200, lastError: "" };
	const event = {
		id: "delivery",
		eventType: "user.created",
		payload: "{}",
		history: [],
		status: "delivered",
	} as const;
	return { webhookId, tenantId, ...event, ...attempts, ...at };
}

/** The longest time for which this thread was busy with one `GET /users/me` while the list was read. */
async function heldMs(path: string, token: string): Promise<number> {
	const list = service.call<{ readonly total: number }>("GET", `/api/v1/${path}`, { token });
	const { longestMs } = await longestBusyMs(async () => {
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
	}, list);
	const { status, body } = await list;
	assert.equal(status, 200);
	assert.ok(body.total >= (/[?&]q=/.test(path) ? 1_000 : ROWS), `${path} has ${body.total} rows`);
	return longestMs;
}

const NOW = "2100-01-01T00:00:00Z";
const LONG_AGO = "2000-01-01T00:00:00Z";

const LISTS: Readonly<Record<string, (of: typeof filled) => readonly string[]>> = {
	users: ({ person }) => [
		"users",
		`users?${FAR}`,
		"users?status=active",
		`users?inactive_since=${NOW}`,
		`users?inactive_since=${NOW}&status=active`,
		`users?inactive_since=${NOW}&sort=name`,
		"users?locked=false",
		"users?sort=username&status=active",
		`users?sort=-last_login_at&${FAR}`,
		"users?q=person",
		`users/${person.id}/sessions`,
		`users/${person.id}/groups`,
		`users/${person.id}/sessions?${FAR}`,
	],
	"audit events": () => [
		"audit-events",
		`audit-events?${FAR}`,
		`audit-events?from=${LONG_AGO}`,
		`audit-events?from=${LONG_AGO}&to=${NOW}`,
		"audit-events?action=webhook.created",
		`audit-events?action=webhook.created&from=${LONG_AGO}&${FAR}`,
	],
	"API clients": ({ app }) => [
		"api-clients",
		`api-clients?${FAR}`,
		"api-clients?status=active",
		`api-clients?app_id=${app.id}`,
		`api-clients?app_id=${app.id}&status=active`,
		"api-clients?dormant=false",
		"api-clients?sort=refused_24h",
		`api-clients?sort=calls_24h&${FAR}`,
		"api-clients?q=a",
	],
	"access requests": ({ request }) => [
		"requests",
		"requests?kind=partner",
		`requests?${FAR}`,
		"requests?status=approved&sort=oldest",
		`requests?related_to=${request.id}`,
		"requests?q=a",
	],
	"applications, groups, and tenants": ({ app, group }) => [
		"applications",
		`applications?${FAR}`,
		"applications?status=active",
		"applications?q=a",
		`applications/${app.id}/grants`,
		"groups",
		`groups?${FAR}`,
		"groups?q=group",
		`groups/${group.id}/members`,
		`groups/${group.id}/members?${FAR}`,
		"tenants",
		`tenants?${FAR}`,
		"tenants?q=tenant",
	],
	"mails and deliveries": ({ webhook }) => [
		"mails",
		`mails?${FAR}`,
		"mails?state=sent",
		`mails?created_after=${LONG_AGO}&created_before=${NOW}`,
		`webhooks/${webhook.id}/deliveries`,
		`webhooks/${webhook.id}/deliveries?${FAR}`,
		`webhooks/${webhook.id}/deliveries?status=delivered`,
		`webhooks/${webhook.id}/deliveries?to=${NOW}`,
		`webhooks/${webhook.id}/deliveries?event_type=user.created`,
	],
};

describe(`lists of ${ROWS} rows delay GET /users/me by at most ${MOST_HELD_MS} ms`, () => {
	for (const [name, pathsOf] of Object.entries(LISTS))
		it(name, async () => {
			const held: Record<string, number> = {};
			for (const path of pathsOf(filled)) {
				const measured: number[] = [];
				for (let round = 0; round < MEASUREMENTS; round++) measured.push(await heldMs(path, filled.token));
				const least = Math.min(...measured);
				if (least > MOST_HELD_MS) held[path] = Math.round(least);
			}
			assert.deepEqual(held, {});
		});
});
