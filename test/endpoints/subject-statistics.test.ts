// Statistics of one API client, gate, or webhook.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOUR_MS } from "../../src/kernel/clock.ts";
import { addTestClient, allowTestClients } from "../harness/access/access-requests.ts";
import { ABSENT_ID, addApiClient, addCast, problemOf } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";
import { RECEIVER_NETWORK, startWebhookReceiver } from "../harness/webhooks/webhook-receiver.ts";
import { addWebhook, eventually } from "../harness/webhooks/webhooks.ts";

/** The middle of an hour, so that no count falls into the next one. */
const AT_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS / 2;
const WHOAMI = "/api/v1/external/whoami";

const service = testService({
	env: { ...BEHIND_PROXY, LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK },
	atMs: AT_MS,
});
const cast = fixture(() => addCast(service));

type StatsPath =
	| `/api/v1/api-clients/${string}/stats`
	| `/api/v1/applications/${string}/gate/stats`
	| `/api/v1/webhooks/${string}/stats`;
type Results = DataOf<"GET /api/v1/api-clients/{id}/stats">;

async function read(path: StatsPath, query = ""): Promise<Results> {
	const { status, body } = await service.call("GET", `${path}?${query}`, { token: cast.auditor.token });
	assert.equal(status, 200, JSON.stringify(body));
	return body.data;
}

/** Waits until the current hour has `total` counts, and returns them. */
async function counted(path: StatsPath, total: number) {
	const sum = ({ ok, refused }: Results["steps"][number]) =>
		Object.values(refused).reduce((all, one) => all + one, ok);
	const current = async () => (await read(path)).steps.at(-1) as Results["steps"][number];
	const { ok, refused } = await eventually(current, (step) => sum(step) >= total);
	return [ok, refused];
}

async function rejectsBadRanges(path: StatsPath): Promise<void> {
	for (const [query, field] of [
		["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
		["from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z", "from"],
		["from=yesterday", "from"],
		["step=week", "step"],
	] as const) {
		const { status, fields } = await problemOf(service, "GET", `${path}?${query}`);
		assert.deepEqual([status, fields], [400, [field]], query);
	}
}

describe("GET /api/v1/api-clients/{id}/stats", () => {
	const path = (id: string): StatsPath => `/api/v1/api-clients/${id}/stats`;

	describe("200", () => {
		it("counts the client's calls by result, and not those of another client", async () => {
			const [client, other] = [await addApiClient(service, { scopes: [] }), await addApiClient(service)];
			for (let n = 0; n < 3; n++) await service.signed(client, "GET", WHOAMI);
			await service.signed(client, "GET", `/api/v1/external/users/${ABSENT_ID}`);
			await service.signed({ ...client, secret: "sk_of_another_client" }, "GET", WHOAMI);
			// Refused before the client is looked up.
			await service.signed(client, "GET", WHOAMI, { headers: { "x-signature": "" } });
			await service.signed(other, "GET", WHOAMI);
			const refused = { "scope.missing": 1, "signature.headers": 1, "signature.invalid": 1 };
			assert.deepEqual(await counted(path(client.id), 6), [3, refused]);
			assert.deepEqual(await counted(path(other.id), 1), [1, {}]);
		});

		it("counts the calls of a test client, which the tenant's statistics omit", async () => {
			await allowTestClients(service);
			const { client } = await addTestClient(service);
			assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
			assert.deepEqual(await counted(path(client.id), 1), [1, {}]);
		});

		it("returns every hour or day of the range", async () => {
			const { id } = await addApiClient(service);
			const hours = await read(path(id), "from=2026-01-01T10:30:00Z&to=2026-01-01T12:00:00Z");
			assert.deepEqual(hours, {
				from: "2026-01-01T10:00:00.000Z",
				to: "2026-01-01T12:00:00.000Z",
				step: "hour",
				steps: [
					{ at: "2026-01-01T10:00:00.000Z", ok: 0, refused: {} },
					{ at: "2026-01-01T11:00:00.000Z", ok: 0, refused: {} },
				],
			});
			assert.equal((await read(path(id), "step=day")).steps.length, 31);
		});
	});

	describe("400", () => {
		it("rejects an unknown step, and a range that is empty, malformed or too long", async () => {
			await rejectsBadRanges(path((await addApiClient(service)).id));
		});
	});
});

describe("GET /api/v1/applications/{id}/gate/stats", () => {
	const path = (id: string): StatsPath => `/api/v1/applications/${id}/gate/stats`;

	describe("200", () => {
		it("counts the decisions of the gate by result", async () => {
			const rules = [{ path: "/open", needs: "public" }];
			const { application_id, gate_key = "" } = await addGate(service, { rules });
			const gate = { application_id, gate_key };
			for (const target of ["/open", "/open", "/closed"]) await ask(service, gate, target);
			// Not a request of the gate's proxy.
			await ask(service, { ...gate, gate_key: "gk_wrong" }, "/open");
			assert.deepEqual(await counted(path(gate.application_id), 3), [2, { "gate.no_rule": 1 }]);
		});
	});

	describe("400", () => {
		it("rejects an unknown step, and a range that is empty, malformed or too long", async () => {
			await rejectsBadRanges(path((await addGate(service)).application_id));
		});
	});
});

describe("GET /api/v1/webhooks/{id}/stats", () => {
	const path = (id: string): StatsPath => `/api/v1/webhooks/${id}/stats`;

	describe("200", () => {
		it("counts attempts by result", async () => {
			await using receiver = await startWebhookReceiver();
			receiver.response(500);
			const { id } = await addWebhook(service, { url: receiver.url, event_types: ["user.created"] });
			for (const status of [500, 204]) {
				receiver.response(status);
				const sent = await service.callAsAdmin("POST", `/api/v1/webhooks/${id}/test`);
				assert.equal(sent.status, 202);
				await receiver.atLeast(status === 500 ? 1 : 2);
			}
			assert.deepEqual(await counted(path(id), 2), [1, { "status.5xx": 1 }]);
			const tenant = (await service.asAdmin("GET", "/api/v1/stats")).steps.at(-1);
			assert.deepEqual([tenant?.webhook_attempts, tenant?.failed_webhook_attempts], [1, { "status.5xx": 1 }]);
		});
	});

	describe("400", () => {
		it("rejects an unknown step, and a range that is empty, malformed or too long", async () => {
			await rejectsBadRanges(path((await addWebhook(service)).id));
		});
	});
});
