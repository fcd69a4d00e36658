// What happens to the files of an embedded database: an old copy is put back, a file is removed while the service runs, or a
// second service starts on the folder.

import assert from "node:assert/strict";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { EXIT_STATUS } from "../../src/cli/exit-status.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { sendSigned, signedBytes, verdict } from "../harness/access/signed-wire.ts";
import { until } from "../harness/databases/ledger.ts";
import { addPerson } from "../harness/people/people.ts";
import { ownSettings, type ReadyProgram, runProgram, startProgram } from "../harness/processes/program.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { exchange } from "../harness/service/raw-connection.ts";
import { ADMIN, startTestService, type TestService } from "../harness/service/service.ts";

const DATABASE = ["latchkey.db", "latchkey.db-wal", "latchkey.db-shm"];

describe("an embedded database that went back in time", () => {
	const dataDir = lastingFolder();
	const old = lastingFolder();
	let service: TestService;
	before(async () => {
		service = await startTestService({ dataDir });
	});
	after(() => service.stop());

	const restart = async (change: () => void): Promise<void> => {
		const atMs = service.clock.now();
		await service.stop();
		change();
		service = await startTestService({ dataDir, atMs });
	};
	const putBack = (): void => {
		for (const name of DATABASE) {
			rmSync(join(dataDir, name), { force: true });
			if (existsSync(join(old, name))) cpSync(join(old, name), join(dataDir, name));
		}
	};

	it("accepts no signed call and no session again, and says so in the log and in the audit trail", async () => {
		service.clock.standAt(Date.now());
		const client = await addApiClient(service);
		const person = await addPerson(service, "everyday");
		const signIn = await service.call("POST", "/api/v1/auth/login", { body: person });
		await restart(() => {
			for (const name of DATABASE)
				if (existsSync(join(dataDir, name))) cpSync(join(dataDir, name), join(old, name));
		});
		const calls = Array.from({ length: 20 }, (_, n) =>
			signedBytes(service, client, { timestamp: String(Math.floor(service.clock.now() / 1_000) + n * 15) }),
		);
		for (const call of calls) assert.equal(await verdict(exchange(service, call, { secure: true })), "200");
		const token = signIn.body.data.access_token;
		assert.equal((await service.call("POST", "/api/v1/auth/logout", { token })).status, 204);
		await restart(putBack);
		for (const call of calls)
			assert.equal(await verdict(exchange(service, call, { secure: true })), "401 nonce.reused");
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 401);
		assert.match(service.logs(), /the database lacks commits up to /);
		const admin = await service.adminToken();
		const events = await service.call("GET", "/api/v1/audit-events?action=installation.fenced", {
			token: admin,
		});
		assert.equal(events.body.data.length, 1);
		service.clock.advance(302_000);
		assert.equal(await verdict(sendSigned(service, client)), "200");
	});

	it("is noticed once", async () => {
		const admin = await service.adminToken();
		await restart(() => undefined);
		assert.equal((await service.call("GET", "/api/v1/users/me", { token: admin })).status, 200);
		assert.doesNotMatch(service.logs(), /the database lacks commits/);
	});
});

describe("the files of a running service", () => {
	const programs: ReadyProgram[] = [];
	after(async () => {
		for (const program of programs) await program.end();
	});
	const start = async () => {
		const folder = lastingFolder();
		const env = { ...(await ownSettings(folder)), LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		const program = await startProgram({ env });
		programs.push(program);
		return { folder, env, program };
	};

	for (const name of DATABASE)
		it(`stop it when ${name} is removed`, async () => {
			const { folder, program } = await start();
			rmSync(join(folder, name));
			const { code, stderr } = await program.exited;
			assert.equal(code, EXIT_STATUS.damaged);
			assert.match(
				stderr,
				/latchkey\.db was replaced or removed while the service held it: the service stops/,
			);
		});

	it("are refused by a command that would open others", async () => {
		const { folder, env, program } = await start();
		program.kill("SIGSTOP");
		rmSync(join(folder, "latchkey.db-shm"));
		const { code, stderr } = await runProgram(["user", "unlock", "admin"], { env });
		program.kill("SIGCONT");
		assert.match(stderr, /was replaced or removed while the service holds it: restart the service first/);
		assert.equal(code, EXIT_STATUS.refused);
		assert.equal((await program.exited).code, EXIT_STATUS.damaged);
	});

	it("belong to the second service that starts after the lock was removed", async () => {
		const { folder, env, program } = await start();
		rmSync(join(folder, "latchkey.lock"));
		const second = await startProgram({ env: { ...env, ...(await ownSettings(folder)) } });
		programs.push(second);
		const { code, stderr } = await program.exited;
		assert.equal(code, EXIT_STATUS.damaged);
		assert.match(stderr, /: the service stops/);
		await until("the second service responds", async () => (await fetch(`${second.httpUrl}/health`)).ok);
	});
});
