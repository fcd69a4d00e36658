// Health of the service; health of the installation, from a real process: its doctor reads the same settings.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { CHECKS } from "../../src/domain/installation-check.ts";
import { fillTemplate } from "../../src/kernel/message-template.ts";
import { ownSettings, type ReadyProgram, runProgram, startProgram } from "../harness/processes/program.ts";
import { testService } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { exchange } from "../harness/service/raw-connection.ts";
import { ADMIN } from "../harness/service/service.ts";
import type { BodyOf } from "../harness/service/wire-body.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

const INSTALLATION = "/api/v1/installation";
type Installation = BodyOf<"GET", typeof INSTALLATION>;

interface HealthBody {
	readonly data: {
		readonly status: string;
		readonly version: string;
		readonly checks: Readonly<Record<string, string>>;
	};
}

const service = testService();

/** Changes the schema under the running service: the database responds, but lacks what the service needs. */
async function alter(sql: string): Promise<void> {
	await using engine = await service.openDatabase();
	await engine.transaction((queries) => queries.run(sql));
}

describe("GET /health", () => {
	describe("200", () => {
		it("returns the version and passing checks over HTTP and HTTPS", async () => {
			for (const https of [false, true]) {
				const response = await service.call<HealthBody>("GET", "/health", { https });
				assert.equal(response.status, 200);
				assert.equal(response.body.data.status, "ok");
				assert.equal(response.body.data.version, version);
				assert.equal(response.body.data.checks.database, "ok");
				assert.match(String(response.headers["content-type"]), /^application\/json/);
			}
		});

		it("requires no credentials, and ignores wrong ones", async () => {
			const headers = { authorization: "Bearer nonsense", "x-tenant-id": "nobody" };
			assert.equal((await service.call("GET", "/health", { headers })).status, 200);
		});

		it("responds to HEAD without a body", async () => {
			const response = await exchange(service, "HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n", { head: true });
			assert.equal(response.status, 200);
			assert.ok(Number(response.headers["content-length"]) > 0);
		});
	});

	describe("503", () => {
		it("has the shape of 200 while the database fails, and ends when it recovers", async () => {
			await alter("ALTER TABLE tenants RENAME TO elsewhere");
			try {
				const response = await service.call<HealthBody>("GET", "/health");
				assert.equal(response.status, 503);
				assert.ok(Number(response.headers["retry-after"]) >= 1);
				assert.equal(response.body.data.status, "unavailable");
				assert.equal(response.body.data.version, version);
				assert.equal(response.body.data.checks.database, "unavailable");
				assert.equal(JSON.stringify(response.body).includes("tenants"), false);
			} finally {
				await alter("ALTER TABLE elsewhere RENAME TO tenants");
			}
			assert.equal((await service.call("GET", "/health")).status, 200);
		});
	});
});

describe("GET /api/v1/installation", () => {
	const folder = temporaryFolder();
	let env: Record<string, string>;
	let program: ReadyProgram;
	let token: string;
	before(async () => {
		env = { ...(await ownSettings(`${folder.path}/data`)), LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		program = await startProgram({ env });
		const login = await fetch(`${program.httpUrl}/api/v1/auth/login`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(ADMIN),
		});
		const { data } = (await login.json()) as BodyOf<"POST", "/api/v1/auth/login">;
		token = data.access_token;
	});
	after(async () => {
		await program?.end();
		folder[Symbol.dispose]();
	});

	const get = (): Promise<Response> =>
		fetch(`${program.httpUrl}${INSTALLATION}`, { headers: { authorization: `Bearer ${token}` } });

	describe("200", () => {
		it("returns the findings of the doctor on the command line, without the password", async () => {
			const response = await get();
			assert.equal(response.status, 200);
			const text = await response.text();
			assert.ok(!text.includes(ADMIN.password));
			const { data }: Installation = JSON.parse(text);
			const doctor = await runProgram(["doctor", "--json"], { env });
			const names = doctor.stdout
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line).about);
			assert.deepEqual(
				data.checks.map(({ name }) => name),
				names,
			);
			assert.ok(names.includes("database") && names.includes("certificate"));
			for (const { name, status, code, params, detail } of data.checks) {
				assert.notEqual(status, "fail", detail);
				const [listedStatus, text] = CHECKS[code];
				assert.deepEqual([status, detail], [listedStatus, fillTemplate(text, params)], code);
				if (code.startsWith("port.")) assert.equal(name, `port ${params.port}`);
			}
		});

		it("serves ten concurrent requests with one run", async () => {
			const responses = await Promise.all(Array.from({ length: 10 }, () => get()));
			assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
			const [first, ...others] = await Promise.all(responses.map((response) => response.text()));
			for (const other of others) assert.equal(other, first);
		});
	});
});
