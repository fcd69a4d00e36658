// `POST /access-requests/test-client`, and what a test client may do.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import {
	addTestClient,
	allowTestClients,
	auditOf,
	decide,
	mailedToken,
	QUEUE,
	REQUESTS,
	submit,
} from "../../harness/access/access-requests.ts";
import { ask, BEHIND_PROXY, type KeyedGate, signedCall } from "../../harness/access/gate-calls.ts";
import { addGate } from "../../harness/access/gates.ts";
import { testService } from "../../harness/runs/fixture.ts";
import { eventually } from "../../harness/webhooks/webhooks.ts";

const CLIENTS = "/api/v1/api-clients";
const EXTERNAL = "/api/v1/external";
const ALLOWED = "00000000-0000-7000-8000-000000000001";
const DENIED = "00000000-0000-7000-8000-000000000002";
const DISABLED = "00000000-0000-7000-8000-000000000003";

const service = testService({ env: { ...BEHIND_PROXY, LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000" } });

const create = (token: unknown) => service.call("POST", `${REQUESTS}/test-client`, { body: { token } });
const testClient = async () => {
	await allowTestClients(service);
	return await addTestClient(service);
};
type Client = Awaited<ReturnType<typeof testClient>>["client"];
const whoami = (client: Client) => service.signed(client, "GET", `${EXTERNAL}/whoami`);

/** Waits a few seconds until the counts are written. */
async function assertCounted(requestId: string, ok: number, refused: number): Promise<void> {
	const counts = async () => {
		const { test_calls_ok, test_calls_refused } = await service.asAdmin("GET", `${QUEUE}/${requestId}`);
		return [test_calls_ok, test_calls_refused];
	};
	const counted = await eventually(counts, ([one = 0, other = 0]) => one + other >= ok + refused);
	assert.deepEqual(counted, [ok, refused]);
}

async function assertUnknown(token: unknown): Promise<void> {
	const unknown = await create("A".repeat(43));
	const response = await create(token);
	assert.deepEqual([response.status, response.body], [404, unknown.body]);
}

describe("POST /api/v1/access-requests/test-client", () => {
	describe("201", () => {
		it("creates a test client, audits it, and mentions the Secret in no list, audit event, or log", async () => {
			const { requestId, client } = await testClient();
			assert.match(client.api_key, /^ak_test_[A-Za-z0-9_-]{24}$/);
			assert.match(client.secret, /^sk_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(
				[client.mode, client.status, client.expires_at, client.access_request_id],
				["test", "active", null, requestId],
			);
			assert.equal((await whoami(client)).status, 200);
			const { secret, ...shown } = client;
			const listed = await service.asAdmin("GET", `${CLIENTS}/${client.id}`);
			assert.deepEqual({ ...listed, last_used_at: null, last_used_ip: "" }, { ...shown });
			assert.deepEqual(await auditOf(service, `api_client:${client.id}`), [
				"anonymous api_client.test_created",
			]);
			const trail = await service.asAdmin("GET", "/api/v1/audit-events?page_size=100");
			assert.ok(!JSON.stringify(trail).includes(secret));
			assert.ok(!service.logs().includes(secret));
		});

		it("gives the Secret to one of ten simultaneous calls", async () => {
			await allowTestClients(service);
			const { id, email } = await submit(service);
			const token = await mailedToken(service, email, "test-client");
			const responses = await Promise.all(Array.from({ length: 10 }, () => create(token)));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array(9).fill(404)]);
			const { data } = await listClients("mode=test");
			assert.equal(data.filter(({ access_request_id }) => access_request_id === id).length, 1);
		});
	});

	describe("404", () => {
		it("is the same for unknown, malformed, and used tokens, and for those of other links", async () => {
			await allowTestClients(service);
			const { email } = await submit(service);
			await assertUnknown(await mailedToken(service, email, "withdraw"));
			await assertUnknown("no token");
			const token = await mailedToken(service, email, "test-client");
			assert.equal((await create(token)).status, 201);
			await assertUnknown(token);
		});

		it("is the response after a decision or a withdrawal", async () => {
			await allowTestClients(service);
			for (const verb of ["approve", "reject"] as const) {
				const { id, email } = await submit(service);
				const token = await mailedToken(service, email, "test-client");
				await decide(service, id, verb);
				await assertUnknown(token);
			}
			const { email } = await submit(service);
			const token = await mailedToken(service, email, "test-client");
			await withdraw(email);
			await assertUnknown(token);
		});

		it("is the response while the tenant allows no test clients; the token is not consumed", async () => {
			await allowTestClients(service);
			const { email } = await submit(service);
			const token = await mailedToken(service, email, "test-client");
			await allowTestClients(service, false);
			await assertUnknown(token);
			await allowTestClients(service);
			assert.equal((await create(token)).status, 201);
		});
	});
});

const listClients = async (query: string) =>
	(await service.callAsAdmin("GET", `${CLIENTS}?page_size=100&${query}`)).body;

async function withdraw(email: string): Promise<void> {
	const token = await mailedToken(service, email, "withdraw");
	assert.equal((await service.call("POST", `${REQUESTS}/withdraw`, { body: { token } })).status, 204);
}

it("the receipt has no link unless the tenant allows test clients", async () => {
	await allowTestClients(service, false);
	const { email } = await submit(service);
	const [mail] = await service.mailsTo(email, 1);
	assert.ok(mail?.text?.includes("/withdraw#"));
	assert.ok(!mail?.text?.includes("test-client"));
});

describe("A test client", () => {
	it("sees three made-up people, in every open API", async () => {
		const { client } = await testClient();
		const post = <const P extends string>(path: P, body: unknown) =>
			service.signed(client, "POST", path, { body });
		const person = await service.signed<{ data: Record<string, unknown> }>(
			client,
			"GET",
			`${EXTERNAL}/users/${ALLOWED}`,
		);
		assert.equal(person.headers["latchkey-mode"], "test");
		const { username, email, status } = person.body.data;
		assert.deepEqual([username, email, status], ["test-allowed", "test-allowed@example.com", "active"]);
		for (const [user_id, reason] of [
			[ALLOWED, "ok"],
			[DENIED, "not_assigned"],
			[DISABLED, "user_disabled"],
			[client.id, "user_not_found"],
		]) {
			const { body } = await post(`${EXTERNAL}/users/check-access`, { user_id, permission: "orders:read" });
			assert.equal(body.data.reason, reason);
			const evaluation = await post("/access/v1/evaluation", {
				subject: { type: "user", id: user_id },
				action: { name: "orders:read" },
				resource: { type: "application", id: client.app_id },
			});
			assert.equal(evaluation.body.context.reason, reason);
		}
		const found = await post(`${EXTERNAL}/third-party/find-user`, {
			provider: "github",
			provider_user_id: "test-denied",
		});
		assert.equal(found.body.data.id, DENIED);
	});

	it("may make 30 calls a minute, counted by client", async () => {
		const { client } = await testClient();
		for (let count = 0; count < 30; count++) assert.equal((await whoami(client)).status, 200);
		const refused = await whoami(client);
		assert.equal(refused.status, 429);
		assert.equal(refused.headers["latchkey-mode"], "test");
		assert.ok(Number(refused.headers["retry-after"]) > 0);
		const other = await testClient();
		assert.equal((await whoami(other.client)).status, 200, "another test client has its own limit");
	});

	it("counts its calls for the reviewer", async () => {
		const { requestId, client } = await testClient();
		await whoami(client);
		await service.signed(client, "GET", `${EXTERNAL}/users/${client.id}`);
		await service.signed({ ...client, secret: `sk_${"A".repeat(43)}` }, "GET", `${EXTERNAL}/whoami`);
		await service.signed(client, "POST", `${EXTERNAL}/secret/rotate`, { body: {} });
		// Not counted: a signature with another Secret does not show that the client called.
		await assertCounted(requestId, 1, 2);
	});

	it("works for 30 days after the approval", async () => {
		const { requestId, client } = await testClient();
		const decided = await decide(service, requestId, "approve");
		assert.equal((await whoami(client)).status, 200);
		const { expires_at } = await service.asAdmin("GET", `${CLIENTS}/${client.id}`);
		assert.equal(Date.parse(String(expires_at)) - Date.parse(String(decided.reviewed_at)), 30 * DAY_MS);
		service.clock.advance(30 * DAY_MS);
		assert.equal((await whoami(client)).status, 401);
	});

	it("ends when the request is rejected or withdrawn", async () => {
		const rejected = await testClient();
		await decide(service, rejected.requestId, "reject");
		assert.equal((await whoami(rejected.client)).status, 401);
		const withdrawn = await testClient();
		await withdraw(withdrawn.email);
		assert.equal((await whoami(withdrawn.client)).status, 401);
	});

	it("is refused while the tenant allows none", async () => {
		const { client } = await testClient();
		await allowTestClients(service, false);
		assert.equal((await whoami(client)).status, 401);
		await allowTestClients(service);
		assert.equal((await whoami(client)).status, 200);
	});

	it("can be disabled, but gets no other scopes, expiry, Secret, or grant", async () => {
		const { client } = await testClient();
		const path = `${CLIENTS}/${client.id}` as const;
		const manage = async (method: string, at: string, body: unknown) =>
			(await service.callAsAdmin<unknown>(method, at, { body })).status;
		assert.equal(await manage("PATCH", path, { scopes: ["access:check:tenant"] }), 409);
		assert.equal(await manage("PATCH", path, { expires_at: "2099-01-01T00:00:00Z" }), 409);
		assert.equal(await manage("POST", `${path}/regenerate-secret`, {}), 409);
		const { application_id } = await addGate(service);
		const grant = `/api/v1/applications/${application_id}/grants/api-clients/${client.id}`;
		assert.equal(await manage("PUT", grant, { roles: [] }), 404);
		assert.equal(await manage("PATCH", path, { status: "disabled" }), 200);
		assert.equal((await whoami(client)).status, 401);
	});
});

describe("A gate", () => {
	const RULES = [
		{ path: "/tested", needs: "orders:read", test: true },
		{ path: "/signed-in", needs: "signed-in", test: true },
		{ path: "/live", needs: "signed-in" },
		{ path: "/open", needs: "public" },
	];

	const keyedGate = async (fields: object): Promise<KeyedGate> => {
		const { application_id, gate_key = "" } = await addGate(service, { ...fields });
		return { application_id, gate_key };
	};

	it("passes a test client only by rules with test: true, and marks the response", async () => {
		const { requestId, client } = await testClient();
		const gate = await keyedGate({ rules: RULES, statement: true });
		const call = (path: string, from: Client = client) =>
			ask(service, gate, path, { headers: signedCall(service, from, path) });
		const passed = await call("/tested");
		assert.equal(passed.outcome, `200 partner:${client.id}`);
		assert.equal(passed.headers["latchkey-mode"], "test");
		assert.equal(passed.headers["latchkey-permissions"], "orders:read");
		const [, claims = ""] = String(passed.headers["latchkey-statement"]).split(".");
		assert.equal(JSON.parse(Buffer.from(claims, "base64url").toString()).mode, "test");
		assert.equal((await call("/signed-in")).headers["latchkey-permissions"], "-");
		const refused = await call("/live");
		assert.equal(refused.outcome, "403 gate.test_client");
		assert.equal(refused.headers["latchkey-mode"], "test");
		assert.equal((await call("/open")).headers["latchkey-mode"], "-");
		await assertCounted(requestId, 2, 1);
	});

	it("explains the decision about a test client", async () => {
		const { client } = await testClient();
		const { application_id } = await keyedGate({ rules: RULES });
		const explain = async (target: string) => {
			const question = { method: "GET", target, caller: `partner:${client.id}` };
			const path = `/api/v1/applications/${application_id}/gate/explain` as const;
			return await service.asAdmin("POST", path, question);
		};
		const passed = await explain("/tested");
		assert.deepEqual([passed.allowed, passed.permissions], [true, ["orders:read"]]);
		const refused = await explain("/live");
		assert.deepEqual([refused.allowed, refused.code], [false, "gate.test_client"]);
	});

	it("that accepts no partners refuses test clients", async () => {
		const { client } = await testClient();
		const gate = await keyedGate({ rules: RULES, accept: ["person"] });
		const refused = await ask(service, gate, "/tested", { headers: signedCall(service, client, "/tested") });
		assert.equal(refused.outcome, "403 gate.caller_kind");
	});
});
