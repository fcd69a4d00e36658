// Kills the service while a gate decides on signed requests: afterwards, no call that was admitted is admitted again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { createProgramClient, type ProgramClient } from "../harness/processes/program-client.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN, type Credentials, signedHeaders } from "../harness/service/service.ts";

const ROUNDS = atDepth({ quick: 1, all: 10, long: 100 });
const CALLERS = 8;
const TARGET = "/orders/1";

describe("kill -9 of a service behind a proxy", () => {
	const folder = lastingFolder();
	let env: Record<string, string>;
	let program: ReadyProgram;
	let client: ProgramClient;
	let gate: KeyedGate;
	let partner: Credentials;

	const start = async (): Promise<void> => {
		program = await startProgram({ env });
		client = createProgramClient(program);
	};
	before(async () => {
		const own = await ownSettings(join(folder, "data"));
		env = { ...own, ...BEHIND_PROXY, LATCHKEY_ADMIN_PASSWORD: ADMIN.password };
		await start();
		const token = await client.signIn(ADMIN.password);
		partner = await client.addApiClient(token);
		const application = `/api/v1/applications/${partner.app_id}`;
		await client.call("PATCH", application, { token, body: { access_policy: "open" } });
		const body = { rules: [{ path: "/*", needs: "signed-in" }] };
		gate = (await client.call("PUT", `${application}/gate`, { token, body })).body.data;
	});
	after(async () => {
		client.close();
		await program.end();
	});

	type Signed = Record<string, string>;
	const sign = (): Signed => signedHeaders(partner, { method: "GET", path: TARGET, nowMs: Date.now() });
	const ask = async (signed: Signed): Promise<string> => {
		const { status, headers } = await client.call("GET", `/gate/${gate.application_id}`, {
			headers: {
				...signed,
				"x-gate-key": gate.gate_key,
				"x-forwarded-for": "203.0.113.7",
				"x-forwarded-proto": "https",
				"x-original-method": "GET",
				"x-original-uri": TARGET,
			},
		});
		return status === 200 ? "passed" : String(headers["latchkey-refusal"]);
	};

	test(`accepts no replay in ${ROUNDS} rounds under load, and nothing while it is down`, async () => {
		const odd: string[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const passed: Signed[] = [];
			let onPassed: () => void = () => undefined;
			const enough = new Promise<void>((resolve) => {
				const wanted = CALLERS + Math.floor(Math.random() * 60);
				onPassed = () => {
					if (passed.length >= wanted) resolve();
				};
			});
			const callUntilBroken = async (): Promise<void> => {
				for (;;) {
					const signed = sign();
					const outcome = await ask(signed);
					if (outcome !== "passed") {
						odd.push(outcome);
						return;
					}
					passed.push(signed);
					onPassed();
				}
			};
			const broken = Promise.allSettled(Array.from({ length: CALLERS }, callUntilBroken));
			await Promise.race([enough, broken]);
			await program.end();
			await broken;
			await assert.rejects(ask(sign()), "a proxy gets no response, and refuses");
			client.close();
			await start();
			const replays = await Promise.all(passed.map(ask));
			assert.deepEqual([...new Set(replays)], ["nonce.reused"], `round ${round}: ${passed.length} replays`);
			assert.equal(await ask(sign()), "passed");
		}
		assert.deepEqual(odd, []);
	});
});
