// What sign-in pages and token verifiers read without a session: the public keys, and the methods of a tenant.

import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { TEST_ENGINE } from "../../harness/databases/test-engine.ts";
import { addTenant } from "../../harness/people/tenants.ts";
import { addProvider } from "../../harness/providers/identity-providers.ts";
import { setup } from "../../harness/runs/fixture.ts";
import { startTestService, type TestService } from "../../harness/service/service.ts";

const JWKS = "/.well-known/jwks.json";
const METHODS = "/api/v1/auth/methods";

let service: TestService;
let dataDir: string;
setup(async () => {
	dataDir = mkdtempSync(join(tmpdir(), "latchkey-jwks-"));
	service = await startTestService({ dataDir });
});
after(async () => {
	await service.stop();
	rmSync(dataDir, { recursive: true });
});

describe("GET /.well-known/jwks.json", () => {
	describe("200", () => {
		it("returns a JWK set without private members", async () => {
			const response = await service.call("GET", JWKS);
			assert.equal(response.status, 200);
			assert.deepEqual(Object.keys(response.body), ["keys"]);
			const [key] = response.body.keys;
			assert.ok(key);
			assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
			assert.deepEqual([key.kty, key.crv, key.use, key.alg], ["EC", "P-256", "sig", "ES256"]);
		});

		it("verifies the access tokens of the service", async () => {
			const token = await service.adminToken();
			const [header = "", payload = "", signature = ""] = token.split(".");
			const { kid } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
			const { keys } = (await service.call("GET", JWKS)).body;
			const jwk = keys.find((key) => key.kid === kid);
			assert.ok(jwk);
			const key = createPublicKey({ key: jwk, format: "jwk" });
			const signed = Buffer.from(`${header}.${payload}`);
			const raw = Buffer.from(signature, "base64url");
			assert.equal(verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, raw), true);
			const forged = Buffer.from(`${header}.${payload.slice(0, -1)}${payload.endsWith("A") ? "B" : "A"}`);
			assert.equal(verify("sha256", forged, { key, dsaEncoding: "ieee-p1363" }, raw), false);
		});

		it("keeps key, tokens and sessions over a restart, and stores no plain private key", async () => {
			const before = (await service.call("GET", JWKS)).body;
			const engine = await service.openDatabase();
			const rows = await engine.queries.all("SELECT * FROM signing_keys");
			await engine.close();
			await service.stop();
			const stored =
				TEST_ENGINE === "sqlite"
					? readFileSync(join(dataDir, "latchkey.db")).toString("latin1")
					: rows.map((row) => Object.values(row as object).join(" ")).join(" ");
			const [key] = before.keys;
			assert.ok(key?.x && stored.includes(key.x), "the public key is in the file");
			assert.ok(!stored.includes('"d":'), "a private one is not");
			service = await startTestService({ dataDir });
			assert.deepEqual((await service.call("GET", JWKS)).body, before);
			assert.equal((await service.callAsAdmin("GET", "/api/v1/users/me")).status, 200);
		});
	});
});

describe("GET /api/v1/auth/methods", () => {
	describe("200", () => {
		it("describes the default tenant with its enabled providers", async () => {
			await addProvider(service, { provider: "corp", display_name: "Corp" });
			await addProvider(service, { provider: "off", enabled: false });
			const { status, body } = await service.call("GET", METHODS);
			assert.equal(status, 200);
			const { tenant, ...others } = body.data;
			assert.deepEqual([tenant.slug, Object.keys(tenant)], ["default", ["id", "slug", "name"]]);
			assert.deepEqual(others, {
				registration: true,
				mailed_code: false,
				passkeys: true,
				providers: [{ provider: "corp", kind: "oidc", display_name: "Corp" }],
			});
		});

		it("selects a tenant by its slug, and by X-Tenant-ID", async () => {
			const other = await addTenant(service);
			const bySlug = await service.call("GET", `${METHODS}?tenant=${other.slug}`);
			const byId = await service.call("GET", METHODS, { headers: { "x-tenant-id": other.id } });
			assert.deepEqual(bySlug.body, byId.body);
			const { id, slug, name } = other;
			assert.deepEqual(bySlug.body.data.tenant, { id, slug, name });
			assert.deepEqual(bySlug.body.data.providers, []);
		});

		it("reports no passkeys if the public URL has no domain", async () => {
			const byAddress = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" } });
			const response = await byAddress.call("GET", METHODS);
			await byAddress.stop();
			assert.equal(response.body.data.passkeys, false);
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			const headers = { "x-tenant-id": "nobody" };
			assert.equal((await service.call("GET", `${METHODS}?tenant=nobody`)).status, 404);
			assert.equal((await service.call("GET", METHODS, { headers })).status, 404);
		});
	});
});
