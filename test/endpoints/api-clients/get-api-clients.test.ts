import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decide, submit, submitApproved } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addApplication,
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	type CreatedClient,
	problemOf,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/api-clients", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const list = async (query: "" | `?${string}` = "", token = cast.admin) => {
		const answer = await service.call("GET", `${API_CLIENTS}${query}`, { token });
		assert.equal(answer.status, 200, JSON.stringify(answer.body));
		return answer.body;
	};

	describe("200", () => {
		it("answers whole records without their Secrets, newest first, to admins and auditors", async () => {
			const app_id = (await addApplication(service)).id;
			const clients: CreatedClient[] = [];
			for (const name of ["one", "two", "three"]) clients.push(await addApiClient(service, { app_id, name }));
			await addApiClient(service, { name: "elsewhere" });
			const expected = clients.toReversed().map(({ secret: _, ...client }) => client);
			for (const token of [cast.admin, cast.auditor.token]) {
				const body = await list(`?app_id=${app_id.toUpperCase()}`, token);
				assert.deepEqual(body, { data: expected, total: 3, page: 1, page_size: 20 });
				for (const { secret } of clients) assert.ok(!JSON.stringify(body).includes(secret));
			}
			const paged = await list(`?app_id=${app_id}&page=2&page_size=2`);
			assert.deepEqual([paged.total, paged.data], [3, expected.slice(2)]);
			assert.equal((await list(`?app_id=${ABSENT_ID}`)).total, 0);
			assert.equal((await list("", cast.other.adminToken)).total, 0);
			assert.equal((await list(`?app_id=${app_id}`, cast.other.adminToken)).total, 0);
		});

		it("filters by status", async () => {
			const off = await addApiClient(service);
			await service.call("PATCH", `${API_CLIENTS}/${off.id}`, {
				token: cast.admin,
				body: { status: "disabled" },
			});
			const waiting = await submitApproved(service);
			const ids = async (status: string): Promise<string[]> =>
				(await list(`?status=${status}`)).data.map(({ id }) => id);
			assert.deepEqual(await ids("disabled"), [off.id]);
			assert.deepEqual(await ids("unclaimed"), [waiting.api_client_id]);
			const active = await ids("active");
			assert.ok(!active.includes(off.id) && !active.includes(waiting.api_client_id));
		});

		it("searches name and API key literally and case-insensitively", async () => {
			const app_id = (await addApplication(service)).id;
			const till = await addApiClient(service, { app_id, name: "Till 100%_a" });
			const scale = await addApiClient(service, { app_id, name: "Scale 1000" });
			const found = async (q: string): Promise<string[]> => {
				const { data, total } = await list(`?app_id=${app_id}&q=${encodeURIComponent(q)}`);
				assert.equal(total, data.length);
				return data.map(({ id }) => id);
			};
			assert.deepEqual(await found("tILL"), [till.id]);
			assert.deepEqual(await found("100"), [scale.id, till.id]);
			assert.deepEqual(await found("100%"), [till.id]);
			assert.deepEqual(await found("%_A"), [till.id]);
			assert.deepEqual(await found(scale.api_key), [scale.id]);
			assert.deepEqual(await found(till.api_key.slice(5, 20)), [till.id]);
			assert.deepEqual(await found(till.secret), []);
			assert.deepEqual(await found("nothing"), []);
			assert.equal((await list(`?q=${till.api_key}`, cast.other.adminToken)).total, 0);
		});

		it("searches name, e-mail and company of the applicant, within the tenant", async () => {
			const applicant = { applicant_name: "Grace Hopper", email: "grace@navy.example", company: "Cobol 60%" };
			const { id } = await submit(service, applicant);
			const { api_client_id } = await decide(service, id, "approve");
			const found = async (q: string): Promise<string[]> => {
				const { data, total } = await list(`?q=${encodeURIComponent(q)}`);
				assert.equal(total, data.length);
				return data.map((client) => client.id);
			};
			for (const q of ["hopper", "GRACE@navy", "cobol 60%"])
				assert.deepEqual(await found(q), [api_client_id], q);
			assert.deepEqual(await found("cobol 6_%"), []);
			assert.equal((await list("?q=hopper&status=unclaimed")).total, 1);
			assert.equal((await list("?q=hopper&status=active")).total, 0);
			assert.equal((await list("?q=hopper", cast.other.adminToken)).total, 0);
		});

		it("filters by the end: from one time, inclusive, to another, exclusive", async () => {
			const app_id = (await addApplication(service)).id;
			const day = (offset: number) => new Date(service.clock.now() + offset * 86_400_000).toISOString();
			const [soon, later] = [day(10), day(40)];
			const first = await addApiClient(service, { app_id, expires_at: soon });
			const second = await addApiClient(service, { app_id, expires_at: later });
			await addApiClient(service, { app_id });
			const ids = async (query: string): Promise<string[]> => {
				const { data, total } = await list(`?app_id=${app_id}&${query}`);
				assert.equal(total, data.length);
				return data.map(({ id }) => id);
			};
			assert.deepEqual(await ids(`expires_before=${later}`), [first.id]);
			assert.deepEqual(await ids(`expires_after=${later}`), [second.id]);
			assert.deepEqual(await ids(`expires_after=${soon}&expires_before=${day(41)}`), [second.id, first.id]);
			assert.deepEqual(await ids(`expires_before=${soon}`), []);
			const path = `${API_CLIENTS}?expires_before=tomorrow` as const;
			const answer = await service.call("GET", path, { token: cast.admin });
			assert.equal(answer.status, 400);
		});

		it("marks clients as dormant after exactly 90 days without use, and filters by it", async () => {
			const app_id = (await addApplication(service)).id;
			const [never, used] = [
				await addApiClient(service, { app_id }),
				await addApiClient(service, { app_id }),
			];
			assert.ok(never.secret_created_at);
			const at = Date.parse(never.secret_created_at);
			const dormant = async (value: string): Promise<string[]> => {
				const token = await service.adminToken();
				const { data, total } = await list(`?app_id=${app_id}&dormant=${value}`, token);
				assert.equal(total, data.length);
				assert.ok(data.every((client) => String(client.dormant) === value));
				return data.map(({ id }) => id);
			};
			assert.deepEqual([await dormant("true"), await dormant("false")], [[], [used.id, never.id]]);
			service.clock.standAt(at + 90 * 86_400_000 - 1);
			assert.deepEqual(await dormant("true"), []);
			service.clock.standAt(at + 90 * 86_400_000);
			assert.ok((await dormant("true")).includes(never.id));
			const later = { token: await service.adminToken(), body: {} };
			await service.call("POST", `${API_CLIENTS}/${used.id}/regenerate-secret`, later);
			assert.deepEqual([await dormant("true"), await dormant("false")], [[never.id], [used.id]]);
			// The others' tokens are good at this time only.
			service.clock.standAt(at);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			for (const [query, field] of [
				["?app_id=x", "app_id"],
				["?status=gone", "status"],
				["?dormant=yes", "dormant"],
				[`?q=${"x".repeat(201)}`, "q"],
				["?name=x", "name"],
				["?page=-1", "page"],
				["?page_size=101", "page_size"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${API_CLIENTS}${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", API_CLIENTS));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", API_CLIENTS));
	});
});
