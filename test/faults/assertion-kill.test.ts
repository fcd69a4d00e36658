// Kills the service while it redeems assertions: none works twice, with or without a response.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addAssertingCompany, JWT_BEARER, REACHES_COMPANY, sendToken } from "../harness/openid/assertions.ts";
import { ISSUER } from "../harness/openid/openid.ts";
import { freePorts, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { type Calls, createCalls } from "../harness/service/calls.ts";
import { makePlace, type Place } from "../harness/service/installation.ts";

const ROUNDS = atDepth({ quick: 2, all: 4, long: 40 });
const AT_ONCE = 8;

describe("kill -9 between the acceptance of an assertion and the response", () => {
	let place: Place;
	let env: Record<string, string>;
	let program: ReadyProgram;
	let calls: Calls;
	let cast: Awaited<ReturnType<typeof addAssertingCompany>>;
	before(async () => {
		place = await makePlace(TEST_ENGINE);
		const own = { LATCHKEY_PUBLIC_URL: ISSUER, ...REACHES_COMPANY };
		const service = await place.serve({ env: own });
		cast = await addAssertingCompany(service);
		const { jwks } = await service.asAdmin("PATCH", `/api/v1/identity-providers/${cast.issuer.id}`, {
			jwks: { keys: [cast.company.key.publicJwk] },
		});
		assert.notEqual(jwks, null);
		await service.stop();
		const [port, httpsPort] = await freePorts(2);
		env = {
			...place.env,
			...own,
			LATCHKEY_PORT: String(port),
			LATCHKEY_HTTPS_PORT: String(httpsPort),
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
			LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "0",
		};
		await start();
	});
	after(async () => {
		calls.close();
		await program.end();
		await cast.company.server.close();
		await place.remove();
	});

	async function start(): Promise<void> {
		program = await startProgram({ env });
		calls = createCalls({ http: Number(env.LATCHKEY_PORT), https: Number(env.LATCHKEY_HTTPS_PORT) });
	}
	const redeem = (assertion: string) => sendToken(calls, cast.agent, { grant_type: JWT_BEARER, assertion });

	test(`${ROUNDS} times: no assertion works twice, and one with a response never again`, async (t) => {
		const seen = { answered: 0, lost: 0, usedLost: 0 };
		for (let round = 0; round < ROUNDS; round++) {
			const sent = await Promise.all(Array.from({ length: AT_ONCE }, () => cast.assertion()));
			const killedAt = (3 * round) % AT_ONCE;
			let answers = 0;
			const answered = await Promise.all(
				sent.map(async (assertion) => {
					try {
						const { status } = await redeem(assertion);
						answers += 1;
						if (answers > killedAt) program.kill("SIGKILL");
						return status;
					} catch {
						// Its connection broke.
						return undefined;
					}
				}),
			);
			await program.end();
			calls.close();
			await start();
			for (const [index, assertion] of sent.entries()) {
				const again = (await redeem(assertion)).status;
				const third = (await redeem(assertion)).status;
				const all = [answered[index], again, third].filter((status) => status === 200);
				assert.ok(all.length <= 1, `round ${round}: ${[answered[index], again, third]}`);
				if (answered[index] === 200) seen.answered += 1;
				else if (again === 200) seen.lost += 1;
				else seen.usedLost += 1;
				assert.equal(third, 400);
			}
		}
		t.diagnostic(JSON.stringify(seen));
		assert.ok(seen.answered > 0 && seen.lost + seen.usedLost > 0, JSON.stringify(seen));
	});
});
