import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { addPerson, auditOf, isAlive, lockPassword, signInAgain } from "../harness/people/people.ts";
import { addPersonWithTotp, enrollPasskey } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { runCommand } from "../harness/processes/command.ts";
import type { Exit } from "../harness/processes/program.ts";
import { testService } from "../harness/runs/fixture.ts";
import { snapshot, temporaryFolder } from "../harness/runs/folder.ts";
import { commandSettings } from "../harness/service/service-database.ts";

/** The actor of commands. */
const CLI = `cli:${userInfo().username}`;
const PASSWORD = /^password: (\S{20}) {2}\(shown only this once\)$/;
/** The columns of a session without those that name it and its user. */
const COPIED =
	"tenant_id, app_id, generation, secret_digest, rotated_at, refresh_expires_at, absolute_expires_at, authenticated_at, amr, ip, user_agent, created_at, last_used_at, purge_at";

describe("latchkey admin, beside a running service", () => {
	const service = testService();

	const admin = (args: readonly string[], input?: string): Promise<Exit> => run(["admin", ...args], input);
	const user = (...args: readonly string[]): Promise<Exit> => run(["user", ...args]);
	const run = async (args: readonly string[], input?: string): Promise<Exit> =>
		runCommand(args, {
			env: { LATCHKEY_BCRYPT_COST: "10", ...(await commandSettings(service.dataDir)) },
			...(input === undefined ? {} : { input }),
		});
	const lines = (exit: Exit): string[] => exit.stdout.trimEnd().split("\n");

	describe("create", () => {
		test("creates an admin whose printed password works immediately, and audits it", async () => {
			const made = await admin(["create", "--username", "Grace", "--email", "Grace@Ops.Example"]);
			assert.deepEqual([made.code, made.stderr], [0, ""]);
			const [first = "", last] = lines(made);
			assert.equal(last, "created Grace <grace@ops.example>, admin and platform_admin");
			const [, password = ""] = PASSWORD.exec(first) ?? [];
			const token = await service.tokenOf("grace", password);
			const me = await service.call("GET", "/api/v1/users/me", { token });
			assert.deepEqual(me.body.data.roles, ["admin", "platform_admin"]);
			assert.equal(me.body.data.email_verified, true);
			const [event] = await auditOf(service, `user:${me.body.data.id}`);
			assert.equal(event?.actor, CLI);
			assert.equal(event?.action, "user.created");
			assert.doesNotMatch(JSON.stringify(event), new RegExp(password));
		});

		test("reads the password from standard input, including spaces, and prints none", async () => {
			const password = " a password with spaces ";
			const args = ["create", "--username", "hopper", "--email", "hopper@ops.example", "--password-stdin"];
			const made = await admin(args, `${password}\n`);
			assert.deepEqual(lines(made), ["created hopper <hopper@ops.example>, admin and platform_admin"]);
			await service.tokenOf("hopper", password);
		});

		const refusals: readonly (readonly [string, readonly string[], string | undefined, RegExp, number])[] = [
			[
				"a taken username",
				["--username", "ADMIN", "--email", "x@x.example"],
				undefined,
				/username is taken/,
				4,
			],
			[
				"a taken email address",
				["--username", "xavier", "--email", "admin@localhost"],
				undefined,
				/email is taken/,
				4,
			],
			[
				"an invalid username",
				["--username", "a b", "--email", "x@x.example"],
				undefined,
				/--username must be 3 to 64/,
				2,
			],
			[
				"an invalid email address",
				["--username", "xavier", "--email", "x"],
				undefined,
				/--email must be one ASCII email/,
				2,
			],
			[
				"an unknown tenant",
				["--username", "xavier", "--email", "x@x.example", "--tenant", "none"],
				undefined,
				/there is no tenant "none"/,
				3,
			],
			[
				"a short password",
				["--username", "xavier", "--email", "x@x.example", "--password-stdin"],
				"short\n",
				/at least 8 characters/,
				2,
			],
			[
				"no password",
				["--username", "xavier", "--email", "x@x.example", "--password-stdin"],
				"",
				/no password on standard input/,
				2,
			],
			[
				"two lines",
				["--username", "xavier", "--email", "x@x.example", "--password-stdin"],
				"one\ntwo\n",
				/must be a single line/,
				2,
			],
		];
		for (const [what, args, input, line, status] of refusals) {
			test(`refuses ${what} in one line`, async () => {
				const { code, stdout, stderr } = await admin(["create", ...args], input);
				assert.match(stderr, line);
				assert.match(stderr, /^latchkey: [^\n]+\n$/);
				assert.deepEqual([code, stdout], [status, ""]);
			});
		}
	});

	describe("reset-password", () => {
		test("sets a new password, revokes every session, audits it, and notifies the owner", async () => {
			const person = await addPerson(service, "lovelace");
			const second = await signInAgain(service, person);
			const reset = await admin(["reset-password", "LOVELACE"]);
			assert.deepEqual([reset.code, reset.stderr], [0, ""]);
			const [first = "", last] = lines(reset);
			assert.equal(last, "lovelace has a new password, 2 sessions revoked");
			assert.equal(await isAlive(service, person.token), false);
			assert.equal(await isAlive(service, second), false);
			await assert.rejects(service.tokenOf(person.username, person.password), /401/);
			await service.tokenOf(person.username, PASSWORD.exec(first)?.[1] ?? "");
			const event = (await auditOf(service, `user:${person.id}`)).find(
				({ action }) => action === "user.password_reset",
			);
			assert.deepEqual([event?.actor, event?.details], [CLI, { sessions_revoked: 2 }]);
			const [mail] = await service.mailsTo(person.email);
			assert.match(mail?.subject ?? "", /password/i);
		});

		test("accepts an email address, and a password from standard input", async () => {
			const person = await addPerson(service, "babbage");
			const reset = await admin(
				["reset-password", person.email, "--password-stdin"],
				"difference engine\r\n",
			);
			assert.deepEqual(lines(reset), ["babbage has a new password, 1 session revoked"]);
			await service.tokenOf("babbage", "difference engine");
		});

		test("unlocks an account after too many wrong passwords", async () => {
			const person = await addPerson(service, "turing");
			const engine = await service.openDatabase();
			const now = service.clock.now();
			await engine.queries.run(
				`INSERT INTO login_failures (tenant_id, subject, ip, failures, blocked_until, updated_at)
				 SELECT tenant_id, 'user:' || id, '', 100, 0, CAST($2 AS BIGINT) FROM users WHERE id = $1
				 ON CONFLICT (tenant_id, subject, ip) DO UPDATE SET failures = 100`,
				person.id,
				now,
			);
			await engine.close();
			await assert.rejects(service.tokenOf("turing", person.password), /401/);
			await admin(["reset-password", "turing", "--password-stdin"], "computable numbers");
			await service.tokenOf("turing", "computable numbers");
		});

		test("reports a disabled account, and leaves it disabled", async () => {
			const { id } = await service.addUser({
				username: "disabled-one",
				email: "disabled@people.example",
				password: "a password of no use",
				status: "disabled",
			});
			const { stdout } = await admin(["reset-password", "disabled-one"]);
			assert.match(stdout, /has a new password, 0 sessions revoked; the account remains disabled\n$/);
			const token = await service.adminToken();
			assert.equal(
				(await service.call("GET", `/api/v1/users/${id}`, { token })).body.data.status,
				"disabled",
			);
		});

		test("refuses an unknown name, and a common password", async () => {
			const unknown = await admin(["reset-password", "nobody"]);
			assert.deepEqual([unknown.code, unknown.stderr], [3, 'latchkey: there is no user "nobody"\n']);
			const common = await admin(["reset-password", "admin", "--password-stdin"], "password123");
			assert.match(common.stderr, /^latchkey: password is one of the most common passwords[^\n]*\n$/);
			assert.equal(common.code, 2);
		});
	});

	describe("user reset", () => {
		test("removes every second factor, revokes every session, audits it, and notifies the owner", async () => {
			const person = await addPersonWithTotp(service, "forgetful");
			await enrollPasskey(service, person);
			const reset = await user("reset", person.email);
			assert.deepEqual([reset.code, reset.stderr], [0, ""]);
			assert.deepEqual(lines(reset), ["forgetful no longer has a second factor; all sessions are revoked"]);
			assert.equal(await isAlive(service, person.token), false);
			await service.tokenOf(person.username, person.password);
			const events = await auditOf(service, `user:${person.id}`);
			const event = events.find(({ action }) => action === "user.second_factors_reset");
			assert.deepEqual([event?.actor, event?.details.totp], [CLI, false]);
			const subjects = (await service.mailsTo(person.email, 3)).map(({ subject }) => subject);
			assert.ok(subjects.includes("Your second factors were reset"));
		});

		test("refuses an unknown name", async () => {
			const unknown = await user("reset", "nobody");
			assert.deepEqual([unknown.code, unknown.stderr], [3, 'latchkey: there is no user "nobody"\n']);
		});
	});

	describe("user unlock", () => {
		test("ends the lock of a user, and audits it", async () => {
			const person = await addPerson(service, "locked");
			await lockPassword(service, person);
			await assert.rejects(service.tokenOf(person.username, person.password), /401|429/);
			assert.deepEqual(lines(await user("unlock", "LOCKED")), ["locked can try to sign in again"]);
			assert.ok(await service.tokenOf(person.username, person.password));
			const event = (await auditOf(service, `user:${person.id}`)).find(
				({ action }) => action === "user.unlocked",
			);
			assert.equal(event?.actor, CLI);
		});

		test("refuses an unknown name", async () => {
			const unknown = await user("unlock", "nobody");
			assert.deepEqual([unknown.code, unknown.stderr], [3, 'latchkey: there is no user "nobody"\n']);
		});
	});

	describe("user sign-out-all", () => {
		test("revokes the sessions of all users of one tenant, over several transactions, and audits each", async () => {
			const other = await addSecondTenant(service);
			const others = await service.adminToken();
			const people = Array.from({ length: 60 }, (_, index) =>
				JSON.stringify({ username: `out-${index}`, email: `out-${index}@people.example` }),
			);
			await run(["import", "-", "--tenant", other.slug], people.join("\n"));
			const engine = await service.openDatabase();
			await engine.queries.run(
				`INSERT INTO sessions (${COPIED}, id, user_id) SELECT ${COPIED.replaceAll(/\w+/g, "s.$&")}, u.id, u.id
				 FROM users u JOIN sessions s ON s.user_id = $1 WHERE u.tenant_id = $2 AND u.id <> $1`,
				other.adminId,
				other.id,
			);
			const done = await user("sign-out-all", "--tenant", other.slug, "--json");
			assert.deepEqual(JSON.parse(done.stdout), { users: 61, sessions: 61 });
			assert.equal(await isAlive(service, other.adminToken), false);
			assert.equal(await isAlive(service, others), true, "another tenant");
			const counted = await engine.queries.one<{ count: number }>(
				"SELECT COUNT(*) AS count FROM audit_events WHERE tenant_id = $1 AND action = 'user.sessions_revoked'",
				other.id,
			);
			assert.equal(Number(counted?.count), 61);
			await engine.close();
			assert.deepEqual(lines(await user("sign-out-all", "--tenant", other.slug)), [
				"0 sessions of 0 users revoked",
			]);
		});

		test("refuses an unknown tenant", async () => {
			const unknown = await user("sign-out-all", "--tenant", "nowhere");
			assert.deepEqual([unknown.code, unknown.stderr], [3, 'latchkey: there is no tenant "nowhere"\n']);
		});
	});
});

describe("latchkey admin, before the first start", () => {
	test("creates nothing, and says what to do", async () => {
		using folder = temporaryFolder();
		for (const dataDir of [folder.path, join(folder.path, "data")]) {
			const { code, stderr } = await runCommand(["admin", "reset-password", "admin"], {
				env: { LATCHKEY_DATA_DIR: dataDir },
			});
			assert.match(stderr, /^latchkey: \S+latchkey\.db does not exist yet; start the service once first\n$/);
			assert.equal(code, 3);
		}
		assert.equal(snapshot(folder.path).length, 1);
	});
});
