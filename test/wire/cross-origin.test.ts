// What pages of other origins may read: public documents and their errors, and nothing of the API.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { connect, openIdService } from "../harness/openid/openid.ts";
import { setup } from "../harness/runs/fixture.ts";

const ORIGIN = "https://shop.example";
const ALLOWED = "access-control-allow-origin";

const PUBLIC = ["jwks.json", "openid-configuration", "oauth-authorization-server", "authzen-configuration"];

const service = openIdService();
setup(async () => {
	await connect(service);
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
	service.call<unknown>("GET", path, { https: true, headers });

describe("/.well-known/*", () => {
	it("may be read from every origin, unknown paths included", async () => {
		for (const [path, expected] of [...PUBLIC.map((path) => [path, 200] as const), ["nothing", 404] as const])
			for (const headers of [{ origin: ORIGIN }, { origin: "null" }, {}]) {
				const { status, headers: sent } = await get(`/.well-known/${path}`, headers);
				assert.deepEqual([status, sent[ALLOWED]], [expected, "*"], path);
				assert.equal(sent["access-control-allow-credentials"], undefined);
			}
	});

	it("responds to the preflight of a request with additional headers", async () => {
		for (const path of [...PUBLIC, `oauth-protected-resource/gate/${ABSENT_ID}`]) {
			const asked = { "access-control-request-method": "GET", "access-control-request-headers": "x-trace" };
			const { status, headers } = await service.call("OPTIONS", `/.well-known/${path}`, {
				https: true,
				headers: { origin: ORIGIN, ...asked },
			});
			assert.deepEqual([status, headers[ALLOWED]], [204, "*"], path);
			assert.equal(headers["access-control-allow-headers"], "*");
			assert.equal(headers["access-control-allow-methods"], "GET");
		}
	});
});

describe("everything else", () => {
	it("is not readable from other origins", async () => {
		for (const path of ["/", "/health", "/openapi.json", "/api/v1/users/me", "/docs", "/.well-known"])
			assert.equal((await get(path, { origin: ORIGIN })).headers[ALLOWED], undefined, path);
	});
});
