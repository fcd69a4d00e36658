import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_CLIENTS, addApiClient } from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertPlainGet,
	assertUnsigned,
	type Client,
} from "../../harness/signed-endpoint.ts";
import type { DataOf } from "../../harness/wire-body.ts";

const CALL = { method: "GET", path: "/api/v1/external/whoami" } as const;

let service: TestService;
let client: Client;
before(async () => {
	service = await startTestService();
	client = await addApiClient(service);
});
after(() => service.stop());

describe("GET /api/v1/external/whoami", () => {
	describe("200", () => {
		test("shows the client without its Secret, and the circumstances of the call", async () => {
			service.clock.standAt(Date.parse("2026-11-20T08:00:00.123Z"));
			const answer = await service.signed(client, CALL.method, CALL.path);
			assert.equal(answer.status, 200);
			const { client: seen, ...circumstances } = answer.body.data;
			assert.deepEqual(circumstances, {
				ip: "127.0.0.1",
				scheme: "https",
				server_time: "2026-11-20T08:00:00.123Z",
			});
			const token = await service.tokenOf("admin", "correct horse battery staple");
			const managed = await service.call("GET", `${API_CLIENTS}/${client.id}`, { token });
			assert.deepEqual(seen, managed.body.data);
			assert.equal(JSON.stringify(answer.body).includes(client.secret), false);
		});

		test("needs no scope", async () => {
			const scopeless = await addApiClient(service, { scopes: [] });
			assert.equal((await service.signed(scopeless, CALL.method, CALL.path)).status, 200);
		});

		test("notes when and from where the client called, a little later", async () => {
			const fresh = await addApiClient(service);
			assert.equal(fresh.last_used_at, null);
			await service.signed(fresh, CALL.method, CALL.path);
			const deadline = Date.now() + 10_000;
			let seen: DataOf<"GET /api/v1/api-clients/{id}"> = fresh;
			while (seen.last_used_at === null && Date.now() < deadline) {
				await new Promise((resolve) => setTimeout(resolve, 200));
				const token = await service.adminToken();
				seen = (await service.call("GET", `${API_CLIENTS}/${fresh.id}`, { token })).body.data;
			}
			assert.equal(seen.last_used_at, new Date(service.clock.now()).toISOString());
			assert.equal(seen.last_used_ip, "127.0.0.1");
		});
	});

	describe("400", () => {
		test("a body, or a target in absolute form", () => assertPlainGet(service, client, CALL.path));
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, CALL));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});
});
