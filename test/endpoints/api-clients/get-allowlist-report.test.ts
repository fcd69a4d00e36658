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

describe("GET /api/v1/api-clients/{id}/allowlist-report", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
		cast = await addCast(service);
		path = pathOf((await addApiClient(service)).id);
	});
	after(() => service.stop());

	const pathOf = (id: string) => `${API_CLIENTS}/${id}/allowlist-report` as const;
	const report = async (id: string, token = cast.admin) => {
		const answer = await service.call("GET", pathOf(id), { token });
		assert.equal(answer.status, 200, JSON.stringify(answer.body));
		return answer.body.data;
	};
	/** Waits, at most 10 s, for the job that writes counts down. */
	const reported = async (id: string, requests: number) => {
		const deadline = Date.now() + 10_000;
		for (;;) {
			const [counted] = await rows<{ total: number }>(
				service,
				"SELECT CAST(COALESCE(sum(requests), 0) AS BIGINT) AS total FROM allowlist_misses WHERE client_id = $1",
				id,
			);
			if (counted?.total === requests) return report(id);
			if (Date.now() > deadline) throw new Error(`${counted?.total} requests were counted, not ${requests}`);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	};

	describe("200", () => {
		it("counts requests by address that the allowlist would refuse, accepts them, and proposes ranges", async () => {
			const client = await addApiClient(service, {
				ip_allowlist: ["192.0.2.0/24"],
				ip_allowlist_mode: "report",
			});
			const from = async (ip: string, nonce?: string): Promise<number> => {
				const headers = { "x-forwarded-for": ip, "x-forwarded-proto": "https" };
				const options = nonce === undefined ? { headers } : { headers, nonce };
				return (await service.signed(client, "GET", WHOAMI, options)).status;
			};
			assert.equal(await from("192.0.2.7"), 200);
			for (const ip of ["203.0.113.8", "203.0.113.9", "203.0.113.10"]) assert.equal(await from(ip), 200);
			const nonce = "a-nonce-that-comes-twice";
			assert.deepEqual([await from("2001:db8::1", nonce), await from("2001:db8::1", nonce)], [200, 401]);
			assert.equal(await from("203.0.113.9"), 200);
			const seen = await reported(client.id, 5);
			assert.deepEqual([seen.ip_allowlist_mode, seen.ip_allowlist], ["report", ["192.0.2.0/24"]]);
			assert.deepEqual(
				seen.addresses.map(({ ip, requests }) => [ip, requests]),
				[
					["203.0.113.9", 2],
					["2001:db8::1", 1],
					["203.0.113.10", 1],
					["203.0.113.8", 1],
				],
			);
			const [mostSeen] = seen.addresses;
			assert.ok(mostSeen && mostSeen.first_seen_at <= mostSeen.last_seen_at);
			assert.deepEqual(seen.proposed_cidrs, [
				{ cidr: "203.0.113.8/30", addresses: 3, requests: 4 },
				{ cidr: "2001:db8::1", addresses: 1, requests: 1 },
			]);
			assert.deepEqual(await report(client.id, cast.auditor.token), seen);

			await service.call("PATCH", `${API_CLIENTS}/${client.id}`, {
				token: cast.admin,
				body: { ip_allowlist: ["192.0.2.0/24", "203.0.113.8/30"], ip_allowlist_mode: "enforce" },
			});
			const left = await report(client.id);
			assert.deepEqual(
				left.addresses.map(({ ip }) => ip),
				["2001:db8::1"],
			);
			assert.deepEqual([await from("203.0.113.9"), await from("2001:db8::1")], [200, 403]);

			await service.call("PATCH", `${API_CLIENTS}/${client.id}`, {
				token: cast.admin,
				body: { ip_allowlist_mode: "report" },
			});
			assert.deepEqual((await report(client.id)).addresses, []);
		});

		it("is empty for a client with an empty allowlist", async () => {
			const { id, ...client } = await addApiClient(service, { ip_allowlist_mode: "report" });
			assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
			const { addresses, proposed_cidrs } = await report(id);
			assert.deepEqual([addresses, proposed_cidrs], [[], []]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path));
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
