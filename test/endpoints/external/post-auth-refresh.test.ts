import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { APPLICATIONS } from "../../harness/applications.ts";
import { addPerson, isAlive, type Person } from "../../harness/people.ts";
import { addRelay, RELAY, relay, relayedLogin } from "../../harness/relay.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
} from "../../harness/signed-endpoint.ts";

const PATH = `${RELAY}/refresh`;
const ELSEWHERE = "2001:db8::7";
const CALL = { method: "POST", path: PATH, body: { refresh_token: "none", ip: ELSEWHERE } } as const;

let service: TestService;
let client: Client;
let ada: Person;
before(async () => {
	service = await startTestService();
	client = await addRelay(service);
	ada = await addPerson(service, "ada");
});
after(() => service.stop());

const refresh = (refresh_token: string, by = client) =>
	relay(service, by, "refresh", { refresh_token, ip: ELSEWHERE, user_agent: "curl/8.0" });

describe("POST /api/v1/external/auth/refresh", () => {
	describe("200", () => {
		test("answers new tokens, and moves the session to the given address", async () => {
			const { refresh_token } = await relayedLogin(service, client, ada);
			const answer = await refresh(refresh_token);
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			const token = answer.body.data.access_token;
			const { data } = (await service.call("GET", "/api/v1/users/me/sessions", { token })).body;
			const own = data.find((session) => session.current);
			assert.deepEqual([own?.ip, own?.app_id], [ELSEWHERE, client.app_id]);
			assert.equal((await refresh(answer.body.data.refresh_token)).status, 200);
		});
	});

	describe("400", () => {
		test("names the invalid address", async () => {
			const body = { refresh_token: "none", ip: "here" };
			const answer = await relay(service, client, "refresh", body);
			assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, "ip"]);
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, CALL));

		test("an unknown token", async () => {
			assert.equal((await refresh("none")).body.code, "refresh_token.invalid");
		});

		test("a token of another application or of none, without changing its session", async () => {
			const other = await addRelay(service);
			const { refresh_token, access_token } = await relayedLogin(service, client, ada);
			assert.equal((await refresh(refresh_token, other)).body.code, "refresh_token.invalid");
			const next = await refresh(refresh_token);
			service.clock.advance(11_000);
			// Used long ago: it would end the session, were it the other's to refresh.
			assert.equal((await refresh(refresh_token, other)).status, 401);
			assert.equal(await isAlive(service, access_token), true);
			assert.equal((await refresh(next.body.data.refresh_token)).status, 200);
			const { username, password } = ada;
			const direct = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.equal((await refresh(direct.body.data.refresh_token)).status, 401);
		});
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
		test("without the scope", () => assertScoped(service, "sign-in:relay", CALL));

		test("without access to the application any more", async () => {
			const { refresh_token } = await relayedLogin(service, client, ada);
			const token = await service.adminToken();
			const path = `${APPLICATIONS}/${client.app_id}`;
			await service.call("PATCH", path, { token, body: { access_policy: "assigned" } });
			assert.equal((await refresh(refresh_token)).body.code, "application.access_denied");
			await service.call("PATCH", path, { token, body: { access_policy: "open" } });
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});
});
