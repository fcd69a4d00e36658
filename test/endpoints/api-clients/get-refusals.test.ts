import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { rows } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const WHOAMI = "/api/v1/external/whoami";

describe("GET /api/v1/api-clients/{id}/refusals", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = pathOf((await addApiClient(service)).id);
	});
	after(() => service.stop());

	const pathOf = (id: string) => `${API_CLIENTS}/${id}/refusals` as const;
	const list = async (id: string, token = cast.admin) => {
		const answer = await service.call("GET", `${pathOf(id)}?page_size=100`, { token });
		assert.equal(answer.status, 200, JSON.stringify(answer.body));
		return answer.body.data;
	};
	/** Waits, at most 15 s, for the job that writes refusals. */
	const listed = async (id: string, count: number) => {
		const deadline = Date.now() + 15_000;
		for (;;) {
			const found = await list(id);
			if (found.length === count) return found;
			if (Date.now() > deadline) assert.fail(`${count} expected: ${JSON.stringify(found)}`);
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
	};

	describe("200", () => {
		it("shows why calls were refused, and whether the client itself had sent them", async () => {
			const client = await addApiClient(service, { scopes: ["users:read"] });
			const send = (
				method: string,
				target: string,
				options: Parameters<TestService["signed"]>[3] = {},
				credentials = client,
			) => service.signed(credentials, method, target, options);
			assert.equal((await send("GET", WHOAMI)).status, 200);
			const wrong = { ...client, secret: `${client.secret}x` };
			const sent = [
				await send("GET", WHOAMI, {}, wrong),
				await send("GET", WHOAMI, { timestamp: "1000000000" }),
				await send("GET", WHOAMI, { headers: { "x-nonce": "short" } }),
				await send("POST", "/api/v1/external/users/check-access?secret=1", { body: { user_id: ABSENT_ID } }),
				await send("GET", `/api/v1/external/users/${ABSENT_ID}`),
				await send("GET", `/api/v1/external/person/sk_${"x".repeat(43)}`),
				await send("GET", WHOAMI, { nonce: "a-nonce-that-comes-twice" }),
				await send("GET", WHOAMI, { nonce: "a-nonce-that-comes-twice" }),
			];
			assert.deepEqual(
				sent.map(({ status }) => status),
				[401, 401, 401, 403, 404, 404, 200, 401],
			);
			const found = await listed(client.id, 7);
			assert.deepEqual(
				found
					.map(({ code, reason, path, signature_valid }) => [code, reason, path, signature_valid])
					.toSorted(),
				[
					["nonce.reused", null, WHOAMI, true],
					["route.not_found", null, "/api/v1/external/person/***", false],
					["scope.missing", null, "/api/v1/external/users/check-access", true],
					["signature.headers", null, WHOAMI, false],
					["signature.invalid", "signature.mismatch", WHOAMI, false],
					["signature.timestamp", null, WHOAMI, false],
					["user.not_found", null, `/api/v1/external/users/${ABSENT_ID}`, true],
				],
			);
			const ids = sent.filter(({ status }) => status >= 400).map(({ headers }) => headers["x-request-id"]);
			assert.deepEqual(found.map(({ request_id }) => request_id).toSorted(), ids.toSorted());
			assert.deepEqual(Object.keys(found[0] ?? {}).toSorted(), [
				"at",
				"code",
				"ip",
				"method",
				"path",
				"reason",
				"request_id",
				"signature_valid",
			]);
			assert.deepEqual(await list(client.id, cast.auditor.token), found);
			assert.doesNotMatch(JSON.stringify(found), new RegExp(client.secret));
		});

		it("stores nothing for an API key that no client has", async () => {
			const { id, ...client } = await addApiClient(service);
			const stranger = { ...client, api_key: "ak_0123456789abcdef0123456789" };
			for (let n = 0; n < 3; n++) assert.equal((await service.signed(stranger, "GET", WHOAMI)).status, 401);
			const wrong = { ...client, secret: "sk_of_somebody_else" };
			assert.equal((await service.signed(wrong, "GET", WHOAMI)).status, 401);
			await listed(id, 1);
			const [stored] = await rows<{ total: number }>(
				service,
				"SELECT count(*) AS total FROM refused_calls WHERE client_id NOT IN (SELECT id FROM api_clients)",
			);
			assert.equal(stored?.total, 0);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path));
	});

	describe("400", () => {
		it("refuses a page size above the limit", async () => {
			const answer = await service.call("GET", `${path}?page_size=101`, { token: cast.admin });
			assert.equal(answer.status, 400);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: pathOf(ABSENT_ID) },
					{ token: cast.admin, path: pathOf("x") },
					{ token: cast.other.adminToken, path },
				],
				"GET",
				"api_client.not_found",
			));
	});
});
