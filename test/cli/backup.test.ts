// Backs up and restores a whole installation between all engines: all data is restored, and nothing that was used or
// revoked works again.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { totpCode } from "../../src/crypto/totp.ts";
import {
	mailedToken,
	QUEUE,
	REQUESTS,
	submission,
	submit,
	submitApproved,
} from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { addKeyClient } from "../harness/access/partner-keys.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { addPerson } from "../harness/people/people.ts";
import { reset, resetTokenFor } from "../harness/people/recovery.ts";
import { codeFor } from "../harness/people/registration.ts";
import {
	addPersonWithTotp,
	completeMfa,
	type PersonWithTotp,
	passwordStep,
	signInWithTotp,
} from "../harness/people/second-factors.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder, temporaryFolder } from "../harness/runs/folder.ts";
import { type EngineName, makePlace, type Place } from "../harness/service/installation.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { type Credentials, signedHeaders, type TestService } from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const ENGINES: readonly EngineName[] = ["sqlite", "postgres"];
const skipOf = (engine: EngineName): false | string => engine === "postgres" && POSTGRES_SKIPPED;
const PASSWORD = "correct horse battery staple";

/** Secrets that the first service issued; some of them were used after the backup. */
interface Given {
	readonly client: Credentials;
	/** Signs with a key. */
	readonly keyClient: Credentials;
	/** Headers of accepted signed requests: before the backup, after it, and by a client whose clock was ahead. */
	readonly accepted: readonly Record<string, string>[];
	readonly tokens: { readonly access: string; readonly refresh: string; readonly successor: string };
	readonly claims: readonly string[];
	readonly withdrawals: readonly string[];
	readonly registration: { readonly email: string; readonly code: string };
	readonly reset: string;
	readonly factors: { readonly person: PersonWithTotp; readonly code: string };
	readonly acknowledged: readonly string[];
	readonly addresses: readonly string[];
}

async function accept(service: TestService, client: Credentials, aheadSeconds = 0) {
	const nowMs = service.clock.now() + aheadSeconds * 1_000;
	const headers = signedHeaders(client, { method: "GET", path: WHOAMI, nowMs });
	assert.equal((await service.call("GET", WHOAMI, { https: true, headers })).status, 200);
	return headers;
}

/** Writes until it is stopped. @returns the acknowledged ids with their times. */
function keepWriting(service: TestService, client: Credentials) {
	const acknowledged: { id: string; at: number }[] = [];
	let isDone = false;
	const write = async (): Promise<void> => {
		while (!isDone) {
			const { id } = await submit(service);
			acknowledged.push({ id, at: Date.now() });
			assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
		}
	};
	const writers = [write(), write(), write()];
	return {
		acknowledged,
		async stop() {
			isDone = true;
			await Promise.all(writers);
		},
	};
}

async function linksOf(service: TestService) {
	const approved = [await submitApproved(service), await submitApproved(service)];
	const pending = [await submit(service), await submit(service)];
	return {
		claims: await Promise.all(approved.map(({ email }) => mailedToken(service, email, "claim"))),
		withdrawals: await Promise.all(pending.map(({ email }) => mailedToken(service, email, "withdraw"))),
		addresses: [...approved, ...pending].map(({ email }) => email as string),
	};
}

/** A mail and a delivery that are not due during the test. */
async function addWaiting(place: Place): Promise<void> {
	const engine = await place.open();
	const later = Date.now() + 3_600_000;
	await engine.transaction(async (queries) => {
		const { id } = (await queries.one<{ id: string }>("SELECT id FROM tenants")) as { id: string };
		const mail =
			"INSERT INTO mail_outbox (id, tenant_id, status, payload_sealed, attempts, next_attempt_at, last_error, created_at)";
		await queries.run(`${mail} VALUES ('waiting', $1, 'due', '', 0, $2, '', $2)`, id, later);
		await queries.run(
			`INSERT INTO webhooks (id, tenant_id, url, description, event_types, status, disabled_reason, secret_sealed, secret_hint, secret_created_at, recent_attempts, recent_failures, created_at, updated_at)
			 VALUES ('hook', $1, 'https://hooks.example/', '', ',user.*,', 'disabled', '', '', '', 0, 0, 0, 0, 0)`,
			id,
		);
		await queries.run(
			`INSERT INTO webhook_deliveries (webhook_id, id, tenant_id, event_type, payload, status, attempts, round_attempts, next_attempt_at, give_up_at, last_error, created_at)
			 VALUES ('hook', 'waiting', $1, 'user.created', '{}', 'pending', 0, 0, $2, $2, '', $2)`,
			id,
			later,
		);
	});
	await engine.close();
}

async function liveAndBackUp(place: Place, file: string): Promise<Given> {
	const service = await place.serve();
	try {
		const client: Credentials = await addApiClient(service);
		const keyClient = await addKeyClient(service);
		const login = await service.call("POST", "/api/v1/auth/login", {
			body: { username: "admin", password: PASSWORD },
		});
		const { access_token: access, refresh_token: refresh } = login.body.data;
		const links = await linksOf(service);
		const registration = {
			email: "newcomer@people.example",
			code: await codeFor(service, "newcomer@people.example"),
		};
		const forgetful = await addPerson(service, "forgetful");
		const resetToken = await resetTokenFor(service, "forgetful@people.example");
		const person = await addPersonWithTotp(service, "careful");
		const earlier = await accept(service, client);
		await addWaiting(place);

		const load = keepWriting(service, client);
		while (load.acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
		const beganAt = Date.now();
		const { code, stderr, stdout } = await place.run(["backup", file]);
		await load.stop();
		assert.equal(code, 0, stderr);
		assert.equal(stdout, "");
		assert.match(stderr, /^NOT included: the master key \([0-9a-f]{8}\)/m);
		assert.ok(stderr.includes(`\nTo check it, run latchkey restore --check ${file}; `), stderr);
		assert.ok(stderr.includes(`run latchkey restore --replace ${file}.\n`), stderr);
		const json = await place.run(["backup", `${file}.json`, "--json"]);
		assert.equal(json.code, 0, json.stderr);
		assert.doesNotMatch(json.stderr, /To check it/);
		assert.ok(
			load.acknowledged.some(({ at }) => at > beganAt),
			"nothing was written during the backup",
		);
		assert.equal(statSync(file).mode & 0o777, 0o600);

		const later = [
			await accept(service, client),
			await accept(service, keyClient),
			await accept(service, client, 290),
		];
		const claim = await service.call("POST", `${REQUESTS}/claim`, { body: { token: links.claims[0] } });
		assert.equal(claim.status, 201);
		const withdraw = await service.call("POST", `${REQUESTS}/withdraw`, {
			body: { token: links.withdrawals[0] },
		});
		assert.equal(withdraw.status, 204);
		const body = { ...registration, username: "newcomer", password: PASSWORD };
		assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 201);
		assert.equal((await reset(service, resetToken, `${forgetful.password} 2`)).status, 204);
		// The code of the next step, which is already accepted, so the clock need not advance.
		const totp = totpCode(person.secret, service.clock.now() + 30_000);
		for (const [method, response] of [
			["totp", totp],
			["recovery_code", person.recoveryCodes[0] as string],
		] as const)
			assert.equal(
				(await completeMfa(service, await passwordStep(service, person), method, response)).status,
				200,
			);
		const turned = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token: refresh } });
		assert.equal(turned.status, 200);
		assert.equal((await service.call("POST", "/api/v1/auth/logout", { token: access })).status, 204);
		return {
			client,
			keyClient,
			accepted: [earlier, ...later],
			tokens: { access, refresh, successor: turned.body.data.refresh_token },
			...links,
			registration,
			reset: resetToken,
			factors: { person, code: totp },
			acknowledged: load.acknowledged.filter(({ at }) => at < beganAt).map(({ id }) => id),
		};
	} finally {
		await service.stop();
	}
}

async function checkNothingWorksTwice(service: TestService, given: Given): Promise<void> {
	const { tokens } = given;
	const problem = { accept: "application/problem+json" };
	for (const headers of given.accepted) {
		const response = await service.call("GET", WHOAMI, { https: true, headers: { ...headers, ...problem } });
		assert.deepEqual([response.status, response.body.code], [401, "nonce.reused"]);
	}
	assert.equal((await service.call("GET", "/api/v1/users/me", { token: tokens.access })).status, 401);
	for (const refresh_token of [tokens.refresh, tokens.successor])
		assert.equal(
			(await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } })).status,
			401,
		);
	// Unused ones are void too: the backup does not show which were used.
	for (const token of given.claims)
		assert.equal((await service.call("POST", `${REQUESTS}/claim`, { body: { token } })).status, 404);
	for (const token of given.withdrawals)
		assert.equal((await service.call("POST", `${REQUESTS}/withdraw`, { body: { token } })).status, 404);
	const body = { ...given.registration, username: "again", password: PASSWORD };
	assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 400);
}

async function checkNoFactorWorksTwice(
	service: TestService,
	{ reset: token, factors }: Given,
): Promise<void> {
	assert.equal((await reset(service, token, "another long password")).status, 404);
	const { person, code } = factors;
	const mfaToken = await passwordStep(service, person);
	for (const [method, response] of [
		["totp", code],
		["recovery_code", person.recoveryCodes[0] as string],
		["recovery_code", person.recoveryCodes[1] as string],
	] as const)
		assert.equal((await completeMfa(service, mfaToken, method, response)).status, 401, method);
}

async function checkAllIsThere(service: TestService, given: Given): Promise<void> {
	const token = await service.adminToken();
	for (const id of given.acknowledged)
		assert.equal((await service.call("GET", `${QUEUE}/${id}`, { token })).status, 200, id);
	const engine = await service.openDatabase();
	const [found] = await engine.queries.all<{ total: number }>("SELECT count(*) AS total FROM requests");
	const waiting = await engine.queries.all(
		`SELECT status FROM mail_outbox WHERE id = 'waiting' UNION ALL SELECT status FROM webhook_deliveries WHERE id = 'waiting'`,
	);
	if (engine.name === "sqlite")
		assert.deepEqual(await engine.queries.all("SELECT * FROM pragma_foreign_key_check"), []);
	await engine.close();
	assert.deepEqual(
		waiting.map((row) => ({ ...(row as object) })),
		[{ status: "failed" }, { status: "failed" }],
	);
	assert.equal((await service.call("GET", QUEUE, { token })).body.total, found?.total);
	for (const address of given.addresses) assert.deepEqual(await service.mailsTo(address, 0), []);
}

/** Five minutes later, Secret and key sign again, and a request that was accepted ahead of the clock remains used. */
async function checkSigning(service: TestService, given: Given): Promise<void> {
	const clients = [given.client, given.keyClient];
	for (const client of clients) assert.equal((await service.signed(client, "GET", WHOAMI)).status, 401);
	service.clock.advance(280_000);
	const ahead = given.accepted.at(-1) as Record<string, string>;
	assert.equal((await service.call("GET", WHOAMI, { https: true, headers: ahead })).status, 401);
	service.clock.advance(25_000);
	for (const client of clients) assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
	assert.equal((await service.call("GET", WHOAMI, { https: true, headers: ahead })).status, 401);
}

for (const from of ENGINES)
	describe(`a backup made on ${from} while serving`, { skip: skipOf(from) }, () => {
		const folder = lastingFolder();
		const file = join(folder, "backup.gz");
		let given: Given;
		const source = fixture(() => makePlace(from), "remove");
		setup(async () => {
			given = await liveAndBackUp(source, file);
		});

		for (const to of ENGINES)
			test(`is restored on ${to}`, { skip: skipOf(to) }, async () => {
				const place = await makePlace(to);
				try {
					const { code, stdout, stderr } = await place.run(["restore", file]);
					assert.equal(code, 0, stderr);
					assert.match(stdout, /^signed requests are refused until 20/m);
					assert.match(stdout, /^[1-9]\d* sessions revoked$/m);
					assert.match(stdout, /^2 claim links invalidated/m);
					assert.match(stdout, /^1 mailed codes invalidated$/m);
					assert.match(stdout, /^1 waiting webhook deliveries abandoned/m);
					const again = await place.run(["restore", file]);
					assert.deepEqual([again.code, again.stdout], [4, ""]);
					assert.match(again.stderr, /^latchkey: the database is not empty: [^\n]+\n$/m);
					const service = await place.serve();
					try {
						await checkNothingWorksTwice(service, given);
						await checkNoFactorWorksTwice(service, given);
						await checkAllIsThere(service, given);
						await checkSigning(service, given);
						await signInWithTotp(service, given.factors.person);
						const served = await place.run(["restore", "--replace", file]);
						assert.match(
							served.stderr,
							/^latchkey: (?:the database is in use \(|data directory \S+ is in use)/m,
						);
					} finally {
						await service.stop();
					}
					const trail = await place.run(["audit", "verify"]);
					assert.match(trail.stdout, /^default: ok, /);
					assert.equal(trail.code, 0);
					const engine = await place.open();
					const events = await engine.queries.all<{ details: string }>(
						"SELECT details FROM audit_events WHERE action = 'installation.restored'",
					);
					await engine.close();
					assert.equal(events.length, 1);
					assert.match(events[0]?.details ?? "", /"backup_created_at":"20.*"signed_calls_refused_until":"20/);
				} finally {
					await place.remove();
				}
			});

		test("replaces a filled database with --replace", async () => {
			const engine = await source.open();
			await engine.queries.run("UPDATE users SET display_name = 'changed since' WHERE username = 'admin'");
			await engine.close();
			const { code, stderr } = await source.run(["restore", "--replace", file]);
			assert.equal(code, 0, stderr);
			const service = await source.serve();
			const token = await service.adminToken();
			assert.equal((await service.call("GET", "/api/v1/users/me", { token })).body.data.display_name, "");
			await service.call("POST", REQUESTS, { body: submission() });
			await service.stop();
			assert.match((await source.run(["audit", "verify"])).stdout, /^default: ok, /);
		});
	});

for (const engine of ENGINES)
	describe(`the metrics of backups on ${engine}`, { skip: skipOf(engine) }, () => {
		test("show age and size of the last one", async () => {
			using folder = temporaryFolder();
			const place = await makePlace(engine);
			const service = await place.serve({ metrics: true });
			try {
				const read = async (name: string) => (await metricsOf(service)).get(`latchkey_backup_${name}`);
				service.clock.advance(3 * 86_400_000);
				assert.ok(((await read("age_seconds")) ?? 0) >= 3 * 86_400);
				assert.equal(await read("size_bytes"), undefined);
				service.clock.advance(-3 * 86_400_000);
				const file = join(folder.path, "backup.gz");
				assert.equal((await place.run(["backup", file])).code, 0);
				assert.equal(await read("size_bytes"), statSync(file).size);
				service.clock.advance(60_000);
				const age = (await read("age_seconds")) ?? Number.NaN;
				assert.ok(age >= 60 && age < 3_600, String(age));
			} finally {
				await service.stop();
				await place.remove();
			}
		});
	});
