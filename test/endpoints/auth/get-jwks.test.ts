import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startTestService, type TestService } from "../../harness/service.ts";
import { TEST_ENGINE } from "../../harness/test-engine.ts";

const PATH = "/.well-known/jwks.json";

describe("GET /.well-known/jwks.json", () => {
	let service: TestService;
	let dataDir: string;
	before(async () => {
		dataDir = mkdtempSync(join(tmpdir(), "latchkey-jwks-"));
		service = await startTestService({ dataDir });
	});
	after(async () => {
		await service.stop();
		rmSync(dataDir, { recursive: true });
	});

	describe("200", () => {
		it("answers a bare JWK set without private members", async () => {
			const answer = await service.call("GET", PATH);
			assert.equal(answer.status, 200);
			assert.deepEqual(Object.keys(answer.body), ["keys"]);
			const [key] = answer.body.keys;
			assert.ok(key);
			assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
			assert.deepEqual([key.kty, key.crv, key.use, key.alg], ["EC", "P-256", "sig", "ES256"]);
		});

		it("verifies the tokens of the service, with nothing but the standard", async () => {
			const token = await service.adminToken();
			const [header = "", payload = "", signature = ""] = token.split(".");
			const { kid } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
			const { keys } = (await service.call("GET", PATH)).body;
			const jwk = keys.find((key) => key.kid === kid);
			assert.ok(jwk);
			const key = createPublicKey({ key: jwk, format: "jwk" });
			const signed = Buffer.from(`${header}.${payload}`);
			const raw = Buffer.from(signature, "base64url");
			assert.equal(verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, raw), true);
			const forged = Buffer.from(`${header}.${payload.slice(0, -1)}${payload.endsWith("A") ? "B" : "A"}`);
			assert.equal(verify("sha256", forged, { key, dsaEncoding: "ieee-p1363" }, raw), false);
		});

		it("keeps key, tokens and sessions over a restart, and no plain private key on disk", async () => {
			const before = (await service.call("GET", PATH)).body;
			const token = await service.adminToken();
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
			assert.deepEqual((await service.call("GET", PATH)).body, before);
			assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
		});
	});
});
