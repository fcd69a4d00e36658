// Two nodes on one database: guesses are counted together, a link is used once, and waiting attempts leave connections.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { tokenDigest } from "../../src/crypto/digest.ts";
import { randomToken } from "../../src/crypto/random.ts";
import { until } from "../harness/databases/ledger.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { atDepth } from "../harness/runs/depth.ts";
import type { CallResponse, TestService } from "../harness/service/service.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";

/** Simultaneous attempts; more would wait longer for the account's row than a busy machine allows. */
const ATTEMPTS = atDepth({ quick: 40, all: 40, long: 200 });

describe("accounts on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	let engine: Engine;
	after(() => engine?.close());
	const nodes = twoNodes({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
	let token: string;

	before(async () => {
		engine = await nodes[0].openDatabase();
		token = await nodeAt(0).adminToken();
	});

	const nodeAt = (number: number): TestService => nodes[number % nodes.length] as TestService;
	let people = 0;
	const newPerson = (): Promise<Person> => addPerson(nodeAt(people), `person-${++people}`);
	const login = (number: number, username: string, password: string, ip = "198.51.100.1") =>
		nodeAt(number).call("POST", "/api/v1/auth/login", {
			body: { username, password },
			headers: { "x-forwarded-for": ip, "x-forwarded-proto": "https" },
		});
	/** `count` calls at once, every second one to the other node. */
	const everywhere = <T>(count: number, call: (number: number) => Promise<T>): Promise<T[]> =>
		Promise.all(Array.from({ length: count }, (_, number) => call(number)));
	const count = (responses: readonly CallResponse[], status: number): number =>
		responses.filter((response) => response.status === status).length;

	test("five of many simultaneous wrong passwords from one address are checked, and the owner signs in from another address", async () => {
		const { username, password } = await newPerson();
		const guessing = everywhere(ATTEMPTS, (number) => login(number, username, `guess ${number}`));
		const owner = await login(0, username, password, "203.0.113.9");
		const responses = await guessing;
		assert.equal(owner.status, 200);
		assert.equal(count(responses, 401), 5);
		assert.equal(count(responses, 429), ATTEMPTS - 5);
		const again = await everywhere(4, (number) => login(number, username, password));
		assert.equal(count(again, 429), 4, "the guesser waits on both nodes");
		assert.equal((await login(1, username, password, "203.0.113.9")).status, 200);
	});

	const waitingForRows = async (): Promise<number> => {
		const sql =
			"SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
		return (await engine.queries.one<{ n: number }>(sql))?.n ?? 0;
	};

	test("attempts that wait for the same row leave connections for other requests", async () => {
		const { username } = await newPerson();
		const ip = "198.51.100.44";
		// Creates the rows that later attempts lock.
		assert.equal((await login(0, username, "a guess", ip)).status, 401);
		const { guessing, other } = await engine.transaction(async (queries) => {
			await queries.run("UPDATE address_allowances SET kind = kind");
			await queries.run("UPDATE login_failures SET failures = failures");
			const guessing = Promise.all(
				Array.from({ length: 40 }, (_, number) => login(0, username, `guess ${number}`, ip)),
			);
			await until("four attempts wait for the rows", async () => (await waitingForRows()) >= 4);
			// Returned while the attempts wait.
			return { guessing, other: await nodeAt(0).call("GET", "/api/v1/users/me", { token }) };
		});
		assert.equal(other.status, 200);
		const responses = await guessing;
		assert.deepEqual([count(responses, 401), count(responses, 429)], [4, 36]);
	});

	test("an unlock on one node ends the account's wait on both", async () => {
		const { id, username, password } = await newPerson();
		const ip = "198.51.100.7";
		for (let number = 0; number < 5; number++) await login(number, username, "a guess", ip);
		const waiting = await everywhere(2, (number) => login(number, username, password, ip));
		assert.equal(count(waiting, 429), 2);
		assert.equal((await nodeAt(1).call("POST", `/api/v1/users/${id}/unlock`, { token })).status, 204);
		const free = await everywhere(2, (number) => login(number, username, password, ip));
		assert.equal(count(free, 200), 2);
	});

	test("attempts for an unknown name are counted like those for a known one", async () => {
		const responses = await everywhere(60, (number) => login(number, "nobody-at-all", `guess ${number}`));
		assert.deepEqual([count(responses, 401), count(responses, 429)], [5, 55]);
	});

	test("one address may fail twenty times over all names and nodes", async () => {
		const sprayer = "203.0.113.77";
		const responses = await everywhere(60, (number) => login(number, `sprayed-${number}`, "guess", sprayer));
		assert.deepEqual([count(responses, 401), count(responses, 429)], [20, 40]);
	});

	test("a password reset link is used once, and its password is valid on both nodes", async () => {
		const { id, username, password } = await newPerson();
		const resetToken = randomToken();
		const now = nodeAt(0).clock.now();
		await engine.queries.run(
			`INSERT INTO recovery_links (digest, tenant_id, user_id, purpose, email, created_at, expires_at)
			 SELECT $1, tenant_id, id, 'password_reset', email, $3, $4 FROM users WHERE id = $2`,
			tokenDigest(resetToken),
			id,
			now,
			now + 60_000,
		);
		const responses = await everywhere(20, (number) =>
			nodeAt(number).call("POST", "/api/v1/auth/password/reset", {
				body: { token: resetToken, new_password: `a brand new password ${number}` },
			}),
		);
		assert.equal(count(responses, 204), 1);
		const set = responses.findIndex(({ status }) => status === 204);
		for (const number of [0, 1]) {
			const response = await login(number, username, `a brand new password ${set}`, "203.0.113.9");
			assert.equal(response.status, 200);
			assert.equal((await login(number, username, password, "203.0.113.9")).status, 401);
		}
	});

	test("forty simultaneous requests for one forgotten password create one link", async () => {
		const { email, id } = await newPerson();
		const responses = await everywhere(40, (number) =>
			nodeAt(number).call("POST", "/api/v1/auth/password/forgot", { body: { email } }),
		);
		assert.equal(count(responses, 202), 40);
		const links = await engine.queries.all("SELECT digest FROM recovery_links WHERE user_id = $1", id);
		assert.equal(links.length, 1);
	});
});
