import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person, signInAgain } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/sessions";
const DAY_MS = 86_400_000;

describe("GET /api/v1/users/me/sessions", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	describe("200", () => {
		it("shows each live session of the caller, the newest first, and which one is in use", async () => {
			const token = await signInAgain(service, ada, { "user-agent": "Probe/2.0" });
			await addPerson(service, "somebody-else");
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(status, 200);
			assert.deepEqual([body.total, body.page, body.page_size], [2, 1, 20]);
			const [second, first] = body.data;
			assert.ok(second && first);
			assert.deepEqual([second.current, first.current], [false, true]);
			const { id, created_at, last_used_at, expires_at, ...rest } = second;
			assert.deepEqual(rest, {
				current: false,
				app_id: null,
				ip: "127.0.0.1",
				device: "Probe",
				user_agent: "Probe/2.0",
			});
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(last_used_at, created_at);
			assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * DAY_MS);
			const seen = await service.call("GET", PATH, { token });
			assert.deepEqual(
				seen.body.data.map(({ current }) => current),
				[true, false],
			);
		});

		it("shows pages", async () => {
			const answers = await Promise.all(
				[1, 2, 3].map((page) =>
					service.call("GET", `${PATH}?page=${page}&page_size=1`, { token: ada.token }),
				),
			);
			assert.deepEqual(
				answers.map(({ body }) => [body.data.length, body.total, body.page, body.page_size]),
				[
					[1, 2, 1, 1],
					[1, 2, 2, 1],
					[0, 2, 3, 1],
				],
			);
		});

		it("leaves out what expired", async () => {
			const bob = await addPerson(service, "bob");
			service.clock.advance(8 * DAY_MS);
			const token = await signInAgain(service, bob);
			const { body } = await service.call("GET", PATH, { token });
			assert.equal(body.total, 1);
			assert.equal(body.data[0]?.current, true);
			ada = { ...ada, token: await signInAgain(service, ada) };
		});
	});

	describe("400", () => {
		for (const query of ["page=0", "page_size=0", "page_size=101", "page=x", "page=1.5", "page=1&page=2"]) {
			it(`refuses ?${query}`, async () => {
				assert.equal((await service.call("GET", `${PATH}?${query}`, { token: ada.token })).status, 400);
			});
		}
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});
});
