// Two nodes on one database: guesses are counted together, a token or code is used once, a refresh survives a killed node.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { tokenDigest } from "../../src/crypto/digest.ts";
import { randomToken } from "../../src/crypto/random.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { POSTGRES_SKIPPED } from "../harness/postgres-skipped.ts";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/program.ts";
import { createProgramClient, type ProgramAnswer, type ProgramClient } from "../harness/program-client.ts";
import { ADMIN } from "../harness/service.ts";
import { createPostgresDatabase, type OwnDatabase } from "../harness/test-engine.ts";

const PASSWORD = "a password of their own";

describe("accounts on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const folders = [temporaryFolder(), temporaryFolder()] as const;
	let database: OwnDatabase;
	let engine: Engine;
	let programs: ReadyProgram[] = [];
	let nodes: ProgramClient[] = [];
	let token: string;
	let people = 0;

	before(async () => {
		database = await createPostgresDatabase({ migrated: true });
		engine = await openPostgres(`${database.url}?pool_size=2`);
		for (const { path } of folders) programs.push(await startNode(path));
		nodes = programs.map(createProgramClient);
		token = await nodeAt(0).signIn(ADMIN.password);
	});
	after(async () => {
		for (const node of nodes) node.close();
		for (const program of programs) await program.end();
		await engine?.close();
		await database?.drop();
		for (const folder of folders) folder[Symbol.dispose]();
	});

	const startNode = async (path: string): Promise<ReadyProgram> =>
		startProgram({
			env: {
				...(await ownSettings(`${path}/data`)),
				LATCHKEY_HTTPS_PORT: "0",
				LATCHKEY_DATABASE_URL: `${database.url}?pool_size=12`,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
				LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
				LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
			},
		});
	const nodeAt = (number: number): ProgramClient => nodes[number % nodes.length] as ProgramClient;
	const addPerson = async (): Promise<{ id: string; username: string; email: string }> => {
		const username = `person-${++people}`;
		const body = { username, email: `${username}@people.example`, password: PASSWORD };
		const { status, body: made } = await nodeAt(people).call("POST", "/api/v1/users", { token, body });
		assert.equal(status, 201);
		return made.data;
	};
	const login = (number: number, username: string, password: string, ip = "198.51.100.1") =>
		nodeAt(number).call("POST", "/api/v1/auth/login", {
			body: { username, password },
			headers: { "x-forwarded-for": ip, "x-forwarded-proto": "https" },
		});
	/** `count` calls at once, every other one to the other node. */
	const everywhere = <T>(count: number, call: (number: number) => Promise<T>): Promise<T[]> =>
		Promise.all(Array.from({ length: count }, (_, number) => call(number)));
	const count = (answers: readonly ProgramAnswer[], status: number): number =>
		answers.filter((answer) => answer.status === status).length;

	test("of 200 simultaneous wrong passwords from one address five are checked, and the owner elsewhere signs in", async () => {
		const { username } = await addPerson();
		const guessing = everywhere(200, (number) => login(number, username, `guess ${number}`));
		const owner = await login(0, username, PASSWORD, "203.0.113.9");
		const answers = await guessing;
		assert.equal(owner.status, 200);
		assert.equal(count(answers, 401), 5);
		assert.equal(count(answers, 429), 195);
		const again = await everywhere(4, (number) => login(number, username, PASSWORD));
		assert.equal(count(again, 429), 4, "the guesser waits on both nodes");
		assert.equal((await login(1, username, PASSWORD, "203.0.113.9")).status, 200);
	});

	test("attempts that wait for the same row leave connections for other requests", async () => {
		const { username } = await addPerson();
		const ip = "198.51.100.44";
		// Makes the rows that later attempts lock.
		assert.equal((await login(0, username, "a guess", ip)).status, 401);
		const { guessing, other } = await engine.transaction(async (queries) => {
			await queries.run("UPDATE address_allowances SET kind = kind");
			await queries.run("UPDATE login_failures SET failures = failures");
			const guessing = Promise.all(
				Array.from({ length: 40 }, (_, number) => login(0, username, `guess ${number}`, ip)),
			);
			await new Promise((resolve) => setTimeout(resolve, 500));
			// Checked before the attempts can go on.
			return { guessing, other: await nodeAt(0).call("GET", "/api/v1/users/me", { token }) };
		});
		assert.equal(other.status, 200);
		const answers = await guessing;
		assert.deepEqual([count(answers, 401), count(answers, 429)], [4, 36]);
	});

	test("an unlock at one node ends the wait of an account at both", async () => {
		const { id, username } = await addPerson();
		const ip = "198.51.100.7";
		for (let number = 0; number < 5; number++) await login(number, username, "a guess", ip);
		const waiting = await everywhere(2, (number) => login(number, username, PASSWORD, ip));
		assert.equal(count(waiting, 429), 2);
		assert.equal((await nodeAt(1).call("POST", `/api/v1/users/${id}/unlock`, { token })).status, 204);
		const free = await everywhere(2, (number) => login(number, username, PASSWORD, ip));
		assert.equal(count(free, 200), 2);
	});

	test("unknown names are counted alike", async () => {
		const answers = await everywhere(60, (number) => login(number, "nobody-at-all", `guess ${number}`));
		assert.deepEqual([count(answers, 401), count(answers, 429)], [5, 55]);
	});

	test("one address fails twenty times over all names, over all nodes", async () => {
		const sprayer = "203.0.113.77";
		const answers = await everywhere(60, (number) => login(number, `sprayed-${number}`, "guess", sprayer));
		assert.deepEqual([count(answers, 401), count(answers, 429)], [20, 40]);
	});

	test("fifty refreshes at once get one successor, which works on either node", async () => {
		const { username } = await addPerson();
		const signedIn = await login(0, username, PASSWORD, "203.0.113.9");
		const refresh = (number: number, refreshToken: string) =>
			nodeAt(number).call("POST", "/api/v1/auth/refresh", { body: { refresh_token: refreshToken } });
		const answers = await everywhere(50, (number) => refresh(number, signedIn.body.data.refresh_token));
		assert.equal(count(answers, 200), 50);
		const successors = new Set(answers.map(({ body }) => body.data.refresh_token));
		assert.equal(successors.size, 1);
		const [successor] = successors;
		assert.equal((await refresh(1, successor)).status, 200);
		for (const { body } of answers.slice(0, 4)) {
			const me = await nodeAt(1).call("GET", "/api/v1/users/me", { token: body.data.access_token });
			assert.equal(me.status, 200);
		}
	});

	test("a link to set a password is used once, and what it sets holds on both nodes", async () => {
		const { id, email, username } = await addPerson();
		const resetToken = randomToken();
		const now = Date.now();
		await engine.queries.run(
			`INSERT INTO recovery_links (digest, tenant_id, user_id, purpose, email, created_at, expires_at)
			 SELECT $1, tenant_id, id, 'password_reset', email, $3, $4 FROM users WHERE id = $2`,
			tokenDigest(resetToken),
			id,
			now,
			now + 60_000,
		);
		assert.ok(email);
		const answers = await everywhere(20, (number) =>
			nodeAt(number).call("POST", "/api/v1/auth/password/reset", {
				body: { token: resetToken, new_password: `a brand new password ${number}` },
			}),
		);
		assert.equal(count(answers, 204), 1);
		const set = answers.findIndex(({ status }) => status === 204);
		for (const number of [0, 1]) {
			const answer = await login(number, username, `a brand new password ${set}`, "203.0.113.9");
			assert.equal(answer.status, 200);
			assert.equal((await login(number, username, PASSWORD, "203.0.113.9")).status, 401);
		}
	});

	test("of forty questions about a forgotten password one is mailed", async () => {
		const { email, id } = await addPerson();
		const answers = await everywhere(40, (number) =>
			nodeAt(number).call("POST", "/api/v1/auth/password/forgot", { body: { email } }),
		);
		assert.equal(count(answers, 202), 40);
		const links = await engine.queries.all("SELECT digest FROM recovery_links WHERE user_id = $1", id);
		assert.equal(links.length, 1);
	});

	test("a node killed among fifty refreshes: every answered client has the successor, and the session lives", async () => {
		const { username } = await addPerson();
		const signedIn = await login(1, username, PASSWORD, "203.0.113.9");
		const refresh = (number: number, refreshToken: string) =>
			nodeAt(number).call("POST", "/api/v1/auth/refresh", { body: { refresh_token: refreshToken } });
		const asked = everywhere(50, (number) =>
			refresh(number, signedIn.body.data.refresh_token).catch(() => undefined),
		);
		programs[0]?.kill("SIGKILL");
		const answered = (await asked).filter((answer) => answer !== undefined);
		assert.ok(answered.length >= 25, "the other node answers all of its own");
		assert.deepEqual([...new Set(answered.map(({ status }) => status))], [200]);
		const successors = new Set(answered.map(({ body }) => body.data.refresh_token));
		assert.equal(successors.size, 1);
		programs = [await startNode(folders[0].path), programs[1] as ReadyProgram];
		for (const node of nodes) node.close();
		nodes = programs.map(createProgramClient);
		const [successor] = successors;
		assert.equal((await refresh(0, successor)).status, 200);
	});
});
