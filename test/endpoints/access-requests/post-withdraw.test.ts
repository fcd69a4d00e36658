import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { auditOf, decide, mailedToken, REQUESTS, submit } from "../../harness/access-requests.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

let service: TestService;
let token: string;
before(async () => {
	service = await startTestService();
	token = await service.adminToken();
});
after(() => service.stop());

const withdraw = (withdrawToken: unknown) =>
	service.call("POST", `${REQUESTS}/withdraw`, { body: { token: withdrawToken } });
const read = async (id: string, as = token) =>
	(await service.call("GET", `${REQUESTS}/${id}`, { token: as })).body.data;

describe("POST /api/v1/access-requests/withdraw", () => {
	describe("204", () => {
		test("withdraws the request without a reviewer, and audits it", async () => {
			const record = await submit(service);
			const answer = await withdraw(await mailedToken(service, record.email, "withdraw"));
			assert.equal(answer.status, 204);
			assert.equal(answer.body, undefined);
			const { updated_at, ...withdrawn } = await read(record.id);
			const { updated_at: submittedAt, ...submitted } = record;
			assert.deepEqual(withdrawn, {
				...submitted,
				status: "withdrawn",
				api_client_id: null,
				reviewed_by_name: null,
				claimed_at: null,
			});
			assert.ok(updated_at >= submittedAt);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				"anonymous access_request.withdrawn",
			]);
		});

		test("accepts the token of another tenant's request", async () => {
			const second = await addSecondTenant(service);
			const { id, email } = await submit(service, {}, { "x-tenant-id": second.id });
			assert.equal((await withdraw(await mailedToken(service, email, "withdraw"))).status, 204);
			assert.equal((await read(id, second.adminToken)).status, "withdrawn");
		});

		test("accepts one of twenty simultaneous withdrawals", async () => {
			const { email } = await submit(service);
			const good = await mailedToken(service, email, "withdraw");
			const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw(good)));
			const statuses = answers.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [204, ...Array.from({ length: 19 }, () => 404)]);
		});
	});

	describe("400", () => {
		for (const body of [
			{},
			{ token: null },
			{ token: true },
			{ token: {} },
			{ token: "" },
			{ token: "x".repeat(513) },
		]) {
			test(JSON.stringify(body).slice(0, 40), async () => {
				const answer = await service.call("POST", `${REQUESTS}/withdraw`, { body });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^token /);
			});
		}
	});

	describe("404", () => {
		test("answers unknown, malformed and used tokens, and those of decided requests, alike", async () => {
			const { body: alike } = await withdraw("A".repeat(43));
			const used = await submit(service);
			const usedToken = await mailedToken(service, used.email, "withdraw");
			await withdraw(usedToken);
			const tokens = [usedToken, "x", "\ud800", "a\0b"];
			for (const verb of ["approve", "reject"] as const) {
				const { id, email } = await submit(service);
				tokens.push(await mailedToken(service, email, "withdraw"));
				await decide(service, id, verb);
			}
			for (const bad of tokens) {
				const answer = await withdraw(bad);
				assert.equal(answer.status, 404);
				assert.deepEqual(answer.body, alike);
			}
		});

		test("refuses a claim token", async () => {
			const { id, email } = await submit(service);
			const { status } = await decide(service, id, "approve");
			assert.equal((await withdraw(await mailedToken(service, email, "claim"))).status, 404);
			assert.equal((await read(id)).status, status);
		});

		test("refuses the token of an earlier request of the same e-mail", async () => {
			const { email } = await submit(service);
			const first = await mailedToken(service, email, "withdraw");
			await withdraw(first);
			const { id } = await submit(service, { email });
			assert.equal((await withdraw(first)).status, 404);
			assert.equal((await read(id)).status, "pending");
		});
	});
});
