import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { auditOf, decide, mailedToken, REQUESTS, submit } from "../../harness/access-requests.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

let service: TestService;
before(async () => {
	service = await startTestService();
});
after(() => service.stop());

const preview = (token: unknown) => service.call("POST", `${REQUESTS}/withdraw/preview`, { body: { token } });
const withdraw = (token: unknown) => service.call("POST", `${REQUESTS}/withdraw`, { body: { token } });

describe("POST /api/v1/access-requests/withdraw/preview", () => {
	describe("200", () => {
		test("shows which request it is, consumes nothing and is not audited", async () => {
			const { id, email, ...record } = await submit(service, {
				company: "Analytical Ltd",
				project_name: "Engine 2",
			});
			const token = await mailedToken(service, email, "withdraw");
			for (let time = 0; time < 2; time++) {
				const answer = await preview(token);
				assert.equal(answer.status, 200);
				assert.deepEqual(answer.body, {
					data: {
						applicant_name: record.applicant_name,
						company: "Analytical Ltd",
						project_name: "Engine 2",
						status: "pending",
						created_at: record.created_at,
					},
				});
			}
			assert.deepEqual(await auditOf(service, `access_request:${id}`), [
				"anonymous access_request.submitted",
			]);
			assert.equal((await withdraw(token)).status, 204);
		});

		test("shows the request of another tenant", async () => {
			const second = await addSecondTenant(service);
			const { email } = await submit(service, { project_name: "Elsewhere" }, { "x-tenant-id": second.id });
			const { body } = await preview(await mailedToken(service, email, "withdraw"));
			assert.equal(body.data.project_name, "Elsewhere");
		});
	});

	describe("400", () => {
		for (const body of [{}, { token: null }, { token: 1 }, { token: "" }, { token: "x".repeat(513) }]) {
			test(JSON.stringify(body).slice(0, 40), async () => {
				const answer = await service.call("POST", `${REQUESTS}/withdraw/preview`, { body });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^token /);
			});
		}
	});

	describe("404", () => {
		test("answers unknown, malformed, used and claim tokens, and those of decided requests, as the withdrawal does", async () => {
			const { body: alike } = await withdraw("A".repeat(43));
			const used = await submit(service);
			const usedToken = await mailedToken(service, used.email, "withdraw");
			await withdraw(usedToken);
			const tokens = [usedToken, "A".repeat(43), "x", "\ud800", "a\0b"];
			for (const verb of ["approve", "reject"] as const) {
				const { id, email } = await submit(service);
				tokens.push(await mailedToken(service, email, "withdraw"));
				await decide(service, id, verb);
				if (verb === "approve") tokens.push(await mailedToken(service, email, "claim"));
			}
			for (const bad of tokens) {
				const answer = await preview(bad);
				assert.equal(answer.status, 404);
				assert.deepEqual(answer.body, alike);
			}
		});
	});
});
