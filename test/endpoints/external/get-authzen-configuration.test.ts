import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/.well-known/authzen-configuration";

let service: TestService;
before(async () => {
	service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://auth.example.com" } });
});
after(() => service.stop());

describe("GET /.well-known/authzen-configuration", () => {
	describe("200", () => {
		test("derives the addresses from the public URL, not from the Host header", async () => {
			const answer = await service.call("GET", PATH, { headers: { host: "evil.example" } });
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body, {
				policy_decision_point: "https://auth.example.com",
				access_evaluation_endpoint: "https://auth.example.com/access/v1/evaluation",
				access_evaluations_endpoint: "https://auth.example.com/access/v1/evaluations",
			});
		});

		test("names addresses that are there", async () => {
			const { body } = await service.call("GET", PATH);
			for (const name of ["access_evaluation_endpoint", "access_evaluations_endpoint"] as const) {
				const { pathname } = new URL(body[name]);
				assert.equal((await service.call("POST", pathname, { body: {}, https: true })).status, 401);
			}
		});
	});
});
