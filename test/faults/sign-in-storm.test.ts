// More sign-ins than can be hashed: those beyond the queue are refused immediately, and other requests continue.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { describe, test } from "node:test";
import { queueLimitFor } from "../../src/crypto/password.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { createProgramClient, type ProgramResponse } from "../harness/processes/program-client.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN } from "../harness/service/service.ts";

const COST = 12;
const THREADS = Math.max(1, availableParallelism() - 1);
/** Running and waiting hashes: about five seconds of work. */
const ROOM = THREADS + queueLimitFor(COST, THREADS);

describe("a storm of sign-ins", () => {
	const folder = lastingFolder();
	let token: string;
	const program = fixture(
		async () =>
			startProgram({
				env: {
					...(await ownSettings(`${folder}/data`)),
					LATCHKEY_BCRYPT_COST: String(COST),
					LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
					LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
				},
			}),
		"end",
	);
	const client = fixture(() => createProgramClient(program), "close");
	setup(async () => {
		token = await client.signIn(ADMIN.password);
	});

	const login = (number: number): Promise<ProgramResponse> =>
		client.call("POST", "/api/v1/auth/login", {
			body: { username: `nobody-${number}`, password: "not a password" },
			headers: {
				"x-forwarded-for": `10.0.${number >> 8}.${number & 255}`,
				"x-forwarded-proto": "https",
			},
		});

	test("is refused beyond the queue, while health checks and reads still get responses", async () => {
		const refused: ProgramResponse[] = [];
		let hashed = 0;
		let hashedAtLastRefusal = 0;
		const storm = Array.from({ length: 3 * ROOM }, async (_, number) => {
			// Requests that still wait when the service is killed get no response.
			const response = await login(number).catch(() => undefined);
			if (response?.status === 401) hashed++;
			if (response?.status !== 503) return;
			refused.push(response);
			hashedAtLastRefusal = hashed;
		});
		// Each hash that completes meanwhile makes room for another: not all sign-ins beyond the queue are refused.
		const enough = 1.5 * ROOM;
		while (refused.length < enough && hashed < ROOM) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.ok(refused.length >= enough, `${refused.length} were refused`);
		for (const { headers } of refused) {
			const seconds = Number(headers["retry-after"]);
			assert.ok(seconds >= 1 && seconds <= 30, `Retry-After ${seconds}`);
		}
		assert.ok(
			hashedAtLastRefusal < ROOM / 2,
			`${hashedAtLastRefusal} were hashed before the last was refused`,
		);
		for (let read = 0; read < 10; read++) {
			assert.equal((await client.call("GET", "/health")).status, 200);
			assert.equal((await client.call("GET", "/api/v1/users/me", { token })).status, 200);
		}
		assert.ok(hashed < ROOM, "the storm was over before anything else was asked");
		client.close();
		await program.end();
		await Promise.all(storm);
	});
});
