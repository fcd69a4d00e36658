import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ADMIN, startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me";

/** What is read of the description of the interface. */
interface Description {
	readonly paths: {
		readonly [PATH]: {
			readonly put: {
				readonly responses: Readonly<Record<string, unknown>>;
				readonly security: readonly unknown[];
			};
		};
	};
}

describe("PUT /api/v1/users/me", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("405", () => {
		const bodies: readonly [string, unknown, Record<string, string>][] = [
			["no body", undefined, {}],
			["a user", { display_name: "x" }, {}],
			["an empty object", {}, {}],
			["broken JSON", "{", {}],
			["something else than JSON", "a=b", { "content-type": "application/x-www-form-urlencoded" }],
			["a content type that is none", "x", { "content-type": "nonsense" }],
			["no content type", "x", { "content-type": "" }],
			["a body that is too large", "x".repeat(70_000), {}],
			["another form of answer asked for", {}, { accept: "text/html" }],
		];
		for (const [name, body, headers] of bodies) {
			it(`answers ${name}, without and with a token`, async () => {
				for (const token of [undefined, "abc", await service.adminToken()]) {
					const options = {
						...(body === undefined ? {} : { body }),
						...(token === undefined ? {} : { token }),
					};
					const answer = await service.call("PUT", PATH, { ...options, headers });
					assert.equal(answer.status, 405);
					assert.equal(answer.headers.allow, "GET, PATCH, DELETE");
					assert.deepEqual(Object.keys(answer.body), ["error"]);
				}
			});
		}

		it("returns the stable code in problem details", async () => {
			const headers = { accept: "application/problem+json" };
			const { status, body } = await service.call("PUT", PATH, { headers });
			assert.equal(status, 405);
			assert.equal(body.code, "user.read_only");
		});

		it("changes nothing", async () => {
			const token = await service.adminToken();
			await service.call("PUT", PATH, { token, body: { username: "root", roles: [] } });
			const { body } = await service.call("GET", PATH, { token });
			assert.equal(body.data.username, ADMIN.username);
			assert.deepEqual(body.data.roles, ["admin", "platform_admin"]);
		});

		it("describes no other status in the OpenAPI document", async () => {
			const { body } = await service.call<Description>("GET", "/openapi.json");
			const { responses, security } = body.paths[PATH].put;
			assert.deepEqual(security, []);
			assert.deepEqual(
				Object.keys(responses).filter((status) => status < "429"),
				["405"],
			);
		});
	});
});
