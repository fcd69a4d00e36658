import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { exchange } from "../../harness/raw-connection.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

interface HealthBody {
	readonly data: {
		readonly status: string;
		readonly version: string;
		readonly checks: Readonly<Record<string, string>>;
	};
}

let service: TestService;
before(async () => {
	service = await startTestService();
});
after(() => service.stop());

/** Renames a table the service cannot work without: the database answers, and not what is needed. */
async function alter(sql: string): Promise<void> {
	const engine = await service.openDatabase();
	await engine.transaction((queries) => queries.run(sql));
	await engine.close();
}

describe("GET /health", () => {
	describe("200", () => {
		test("answers the version and passing checks over HTTP and HTTPS", async () => {
			for (const https of [false, true]) {
				const answer = await service.call<HealthBody>("GET", "/health", { https });
				assert.equal(answer.status, 200);
				assert.equal(answer.body.data.status, "ok");
				assert.equal(answer.body.data.version, version);
				assert.equal(answer.body.data.checks.database, "ok");
				assert.match(String(answer.headers["content-type"]), /^application\/json/);
			}
		});

		test("needs no authentication, and ignores any", async () => {
			const headers = { authorization: "Bearer nonsense", "x-tenant-id": "nobody" };
			assert.equal((await service.call("GET", "/health", { headers })).status, 200);
		});

		test("answers HEAD without a body", async () => {
			const answer = await exchange(service, "HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n", { head: true });
			assert.equal(answer.status, 200);
			assert.ok(Number(answer.headers["content-length"]) > 0);
		});
	});

	describe("503", () => {
		test("has the same shape while the database fails, and ends when it recovers", async () => {
			await alter("ALTER TABLE tenants RENAME TO elsewhere");
			try {
				const answer = await service.call<HealthBody>("GET", "/health");
				assert.equal(answer.status, 503);
				assert.ok(Number(answer.headers["retry-after"]) >= 1);
				assert.equal(answer.body.data.status, "unavailable");
				assert.equal(answer.body.data.version, version);
				assert.equal(answer.body.data.checks.database, "unavailable");
				assert.equal(JSON.stringify(answer.body).includes("tenants"), false);
			} finally {
				await alter("ALTER TABLE elsewhere RENAME TO tenants");
			}
			assert.equal((await service.call("GET", "/health")).status, 200);
		});
	});
});
