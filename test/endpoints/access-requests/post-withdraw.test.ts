import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { auditOf, decide, mailedToken, REQUESTS, submit } from "../../harness/access-requests.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

let service: TestService;
let token: string;
before(async () => {
	service = await startTestService();
	token = await service.adminToken();
});
after(() => service.stop());

const withdraw = (withdrawToken: unknown): Promise<Answer> =>
	service.call("POST", `${REQUESTS}/withdraw`, { body: { token: withdrawToken } });
const read = async (id: string, as = token): Promise<Answer["body"]> =>
	(await service.call("GET", `${REQUESTS}/${id}`, { token: as })).body.data;

describe("POST /api/v1/access-requests/withdraw", () => {
	describe("204", () => {
		test("the request is withdrawn without a reviewer, and audited", async () => {
			const record = await submit(service);
			const answer = await withdraw(await mailedToken(service, record.email, "withdraw"));
			assert.equal(answer.status, 204);
			assert.equal(answer.body, undefined);
			const { updated_at, ...withdrawn } = await read(record.id);
			const { updated_at: submittedAt, ...submitted } = record;
			assert.deepEqual(withdrawn, { ...submitted, status: "withdrawn", api_client_id: null });
			assert.ok(updated_at >= submittedAt);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				"anonymous access_request.withdrawn",
			]);
		});

		test("in any tenant", async () => {
			const second = await addSecondTenant(service);
			const { id, email } = await submit(service, {}, { "x-tenant-id": second.id });
			assert.equal((await withdraw(await mailedToken(service, email, "withdraw"))).status, 204);
			assert.equal((await read(id, second.adminToken)).status, "withdrawn");
		});

		test("of twenty simultaneous withdrawals one succeeds", async () => {
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
		test("unknown, malformed and used tokens, and those of a decided request, answer alike", async () => {
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

		test("a claim token is no withdrawal token", async () => {
			const { id, email } = await submit(service);
			const { status } = await decide(service, id, "approve");
			assert.equal((await withdraw(await mailedToken(service, email, "claim"))).status, 404);
			assert.equal((await read(id)).status, status);
		});

		test("the token of an earlier request does not withdraw the next one of the same e-mail", async () => {
			const { email } = await submit(service);
			const first = await mailedToken(service, email, "withdraw");
			await withdraw(first);
			const { id } = await submit(service, { email });
			assert.equal((await withdraw(first)).status, 404);
			assert.equal((await read(id)).status, "pending");
		});
	});
});
