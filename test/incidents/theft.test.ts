// Incidents with stolen secrets and sessions: after the steps of docs/incidents.md, what was stolen is worth nothing.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { addApiClient } from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { until } from "../harness/databases/ledger.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { es256, forgeToken, signingKeyOf } from "../harness/openid/forge-token.ts";
import { addAdminKey, statusWith } from "../harness/people/admin-keys.ts";
import { addPerson, signInAgain } from "../harness/people/people.ts";
import { addPersonWithTotp } from "../harness/people/second-factors.ts";
import type { OperatorShell } from "../harness/runs/operator-shell.ts";
import { ADMIN, startTestService, type TestService } from "../harness/service/service.ts";
import { SHELL_SKIPPED, shellBeside, stepsOf } from "./steps.ts";

const ME = "/api/v1/users/me";

describe("docs/incidents.md", { skip: SHELL_SKIPPED }, () => {
	let service: TestService;
	let shell: OperatorShell;
	beforeEach(async () => {
		service = await startTestService();
		shell = await shellBeside(service);
	});
	afterEach(async () => {
		shell[Symbol.dispose]();
		await service.stop();
	});

	const statusOf = async (token: string): Promise<number> =>
		(await service.call("GET", ME, { token })).status;
	const place = (name: string): string => join(String(shell.env.EVIDENCE), name);

	test("the first hour saves the evidence, and closes an account and a key", async () => {
		const steps = stepsOf("The first hour");
		const suspect = await addPerson(service, "suspect", { roles: ["admin"] });
		const key = await addAdminKey(service, { name: "unknown script" });
		Object.assign(shell.env, {
			SINCE: new Date(Date.now() - 3_600_000).toISOString(),
			SUSPECT: suspect.id,
			SUSPECT_KEY: key.id,
		});
		assert.match(await steps.next(shell), /"status":"ok".*^default: ok, \d+ events/ms);
		assert.match(readFileSync(place("events.jsonl"), "utf8"), /"action":"admin_key\.created"/);
		const found = await steps.next(shell);
		assert.match(found, /"username":"suspect"/);
		assert.match(found, /"name":"unknown script"/);
		assert.match(found, /\tuser\.created\tsuspect\t/);
		assert.deepEqual([await statusOf(suspect.token), await statusWith(service, key)], [200, 200]);
		await steps.next(shell);
		assert.deepEqual([await statusOf(suspect.token), await statusWith(service, key)], [401, 401]);
		steps.end();
	});

	test("a token that is signed with a stolen key is refused afterwards", async () => {
		const steps = stepsOf("A stolen signing key");
		const stolen = await signingKeyOf(service);
		const victim = await addPerson(service, "victim");
		const body = { username: victim.username, password: victim.password };
		const { refresh_token } = (await service.call("POST", "/api/v1/auth/login", { body })).body.data;
		const forge = (): string =>
			forgeToken(victim.token, { claims: { jti: crypto.randomUUID() } }, es256(stolen));
		const forged = forge();
		assert.equal(await statusOf(forged), 200, "the stolen key works");
		const kid = JSON.parse(Buffer.from(forged.split(".")[0] ?? "", "base64url").toString()).kid;
		assert.match(await steps.next(shell), new RegExp(`^withdrawn: .*${kid}`, "m"));
		await until("the stolen key is refused", async () => (await statusOf(forged)) === 401);
		assert.deepEqual(
			[await statusOf(forge()), await statusOf(victim.token)],
			[401, 401],
			"old and new tokens",
		);
		const refreshed = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
		assert.equal(await statusOf(refreshed.body.data.access_token), 200, "the session continues");
		const listed = await steps.next(shell);
		const published = listed.split("\n").filter((line) => /^[\w-]{43}$/.test(line));
		assert.ok(published.length > 0 && !published.includes(kid), listed);
		steps.end();
	});

	test("all users are signed out, and can sign in again", async () => {
		const steps = stepsOf("A mass sign-out");
		shell.env.TENANT = "default";
		const people = await Promise.all(["one", "two"].map((name) => addPerson(service, name)));
		const tokens = [...people.map(({ token }) => token), await signInAgain(service, people[0] as never)];
		const key = await addAdminKey(service);
		assert.match(await steps.next(shell), /^\d+ sessions of \d+ users revoked$/m);
		for (const token of tokens) assert.equal(await statusOf(token), 401);
		assert.match(await steps.next(shell), /^0 sessions of 0 users revoked$/m);
		assert.equal(await statusWith(service, key), 200, "an admin key is not a session");
		assert.equal(await statusOf(await service.tokenOf(ADMIN.username, ADMIN.password)), 200);
		steps.end();
	});

	const skip = TEST_ENGINE === "sqlite" ? false : "with PostgreSQL, no key is in the data directory";
	test("a stolen master key opens nothing afterwards, nor does a Secret that it sealed work", {
		skip,
	}, async () => {
		const steps = stepsOf("A stolen master key");
		const client = await addApiClient(service);
		const person = await addPersonWithTotp(service, "admin2", { roles: ["admin"] });
		const stolen = readFileSync(join(service.dataDir, "master.key"), "utf8").trim();
		delete shell.env.LATCHKEY_MASTER_KEY;
		assert.match(await steps.next(shell), /everything is encrypted with master key/);

		const file = shell.place("configured.key");
		const current = readFileSync(join(service.dataDir, "master.key"), "utf8").trim();
		assert.notEqual(current, stolen);
		writeFileSync(file, `${current}\n`, { mode: 0o600 });
		Object.assign(shell.env, {
			KEY_FILE: file,
			LATCHKEY_MASTER_KEY_FILE: file,
			ADMINISTRATOR: person.username,
		});
		assert.match(await steps.next(shell), /^no longer needed in the list: /m);
		assert.notEqual(readFileSync(file, "utf8").trim(), current);
		writeFileSync(join(service.dataDir, "master.key"), readFileSync(file), { mode: 0o600 });

		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
		await steps.next(shell);
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 401, "the stolen Secret");
		const written = readFileSync(join(String(shell.env.EVIDENCE), `${client.id}.json`), "utf8");
		const { secret } = JSON.parse(written).data;
		assert.equal((await service.signed({ ...client, secret }, "GET", WHOAMI)).status, 200, "the new Secret");
		const { body } = await service.call("POST", "/api/v1/auth/login", {
			body: { username: person.username, password: person.password },
		});
		assert.equal(body.data.mfa_required, undefined, "the stolen authenticator app is gone");

		assert.match(await steps.next(shell), /everything is encrypted with master key/);
		writeFileSync(file, `${stolen}\n`);
		await assert.rejects(shell.run("latchkey rekey --check"), /master key/);
		steps.end();
	});

	test("a leaked dump has addresses and hashes but no secret, and users get links for new passwords", async () => {
		const steps = stepsOf("A leaked dump");
		const client = await addApiClient(service);
		const person = await addPersonWithTotp(service, "leaked");
		const key = await addAdminKey(service);
		const dump = shell.place("leaked.gz");
		await shell.run(`latchkey backup "${dump}"`);
		const text = gunzipSync(readFileSync(dump)).toString("utf8");
		assert.ok(text.includes(person.email) && text.includes("$2b$"), "addresses and hashes");
		for (const secret of [client.secret, person.secret, person.password, person.token, key.key])
			assert.ok(!text.includes(secret), "a secret in clear text");

		Object.assign(shell.env, {
			DUMP: dump,
			ADMINISTRATOR: ADMIN.username,
			NEW_PASSWORD_FILE: shell.place("new-password"),
		});
		writeFileSync(shell.place("new-password"), "a quite new passphrase\n", { mode: 0o600 });
		const header = JSON.parse(await steps.next(shell));
		assert.match(JSON.stringify(header), /"created_at":"2/);
		await steps.next(shell);
		const mails = await service.mailsTo(person.email, 2);
		assert.ok(mails.some(({ text = "" }) => text.includes("/reset#")));
		const login = (password: string) =>
			service.call("POST", "/api/v1/auth/login", { body: { username: ADMIN.username, password } });
		assert.deepEqual(
			[(await login(ADMIN.password)).status, (await login("a quite new passphrase")).status],
			[401, 200],
		);
		assert.match(await steps.next(shell), /^admin$/m);
		steps.end();
	});
});
