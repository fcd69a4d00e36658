// Creates signed-in users, for tests of authorization.

import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createLoginFailureStore } from "../../../src/adapters/stores/login-failure-store.ts";
import { type AuditTexts, openTexts } from "../../../src/adapters/stores/sealed-audit.ts";
import { randomToken } from "../../../src/crypto/random.ts";
import { userCiphers } from "../../../src/crypto/user-ciphers.ts";
import { accountSubject, FAILURES_BEFORE_LOCK, totpAttempt } from "../../../src/domain/sign-in-attempt.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

export interface Person {
	readonly id: string;
	readonly username: string;
	readonly email: string;
	readonly password: string;
	readonly token: string;
}

/** Creates the user `name` with the address `name@people.example` as the first admin, and signs them in. */
export async function addPerson(
	service: TestService,
	name: string,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<Person> {
	const email = `${name}@people.example`;
	const password = `the long password of ${name}`;
	const { id } = await service.addUser({ username: name, email, password, ...fields });
	return { id, username: name, email, password, token: await service.tokenOf(name, password) };
}

/** Signs a user in again, in a second session. */
export async function signInAgain(
	service: TestService,
	person: Person,
	headers: Readonly<Record<string, string>> = {},
): Promise<string> {
	const body = { username: person.username, password: person.password };
	const response = await service.call("POST", "/api/v1/auth/login", { body, headers });
	if (response.status !== 200) throw new Error(`sign-in returned ${response.status}`);
	return response.body.data.access_token;
}

/** Creates an application that every user may use. @returns its id */
export async function openApplication(service: TestService): Promise<string> {
	const body = { name: `Open ${randomToken().slice(0, 8)}`, access_policy: "open" };
	return (await service.asAdmin("POST", "/api/v1/applications", body)).id;
}

/** Signs a user in to a new application. @returns the access token of the application */
export async function signInToApplication(
	service: TestService,
	{ username, password }: Pick<Person, "username" | "password">,
): Promise<string> {
	const body = { username, password, app_id: await openApplication(service) };
	const response = await service.call("POST", "/api/v1/auth/login", { body });
	if (response.status !== 200) throw new Error(`sign-in returned ${response.status}`);
	return response.body.data.access_token;
}

/** Whether an access token is still valid. */
export async function isAlive(service: TestService, token: string): Promise<boolean> {
	return (await service.call("GET", "/api/v1/users/me", { token })).status === 200;
}

/** Records wrong passwords, by default the hundred after which the password is refused until it is reset. */
export async function lockPassword(
	service: TestService,
	person: Person,
	failures = FAILURES_BEFORE_LOCK,
): Promise<void> {
	return await countFailures(service, person, accountSubject(person.id), failures);
}

/** Records the hundred wrong authenticator app codes after which codes are refused. */
export async function lockCodes(service: TestService, person: Person): Promise<void> {
	return await countFailures(service, person, totpAttempt("", person.id).account, FAILURES_BEFORE_LOCK);
}

async function countFailures(
	service: TestService,
	person: Person,
	subject: string,
	failures: number,
): Promise<void> {
	const { body } = await service.call("GET", "/api/v1/users/me", { token: person.token });
	await withDatabase(service, (engine) =>
		engine.transaction(async (queries) => {
			const store = createLoginFailureStore(queries);
			for (let count = 0; count < failures; count++)
				await store.count(body.data.tenant_id, subject, service.clock.now());
		}),
	);
}

/** Removes the password, as for an account that a third-party sign-in created. */
export async function removePassword(service: TestService, userId: string): Promise<void> {
	await withDatabase(service, ({ queries }) =>
		queries.run("UPDATE users SET password_hash = '' WHERE id = $1", userId),
	);
}

export interface AuditRow {
	readonly actor: string;
	readonly action: string;
	readonly target: string;
	readonly details: Readonly<Record<string, unknown>>;
}

/** The audit events about a target (`user:<id>`), oldest first, from the database of the running service. */
export async function auditOf(service: TestService, target: string): Promise<AuditRow[]> {
	await using beside = await openBeside(service);
	const { queries } = beside.engine;
	const rows = await queries.all<AuditTexts & { readonly action: string }>(
		`SELECT actor, actor_name AS "actorName", action, target, target_name AS "targetName", details, changes
			FROM audit_events WHERE target = $1 ORDER BY sequence`,
		target,
	);
	const open = (sealed: string, context: string): string => beside.secretBox.open(sealed, context);
	const opened = await openTexts(queries, { open, userCiphers }, rows);
	return opened.map(({ actor, action, target, details }) => ({
		actor,
		action,
		target,
		details: JSON.parse(details),
	}));
}

/** Action and details of the last audit event about a target. */
export async function lastAuditOf(
	service: TestService,
	target: string,
): Promise<readonly [AuditRow["action"]?, AuditRow["details"]?]> {
	const last = (await auditOf(service, target)).at(-1);
	return last === undefined ? [] : [last.action, last.details];
}

/** Opens the database of the running service for `work`. */
export async function withDatabase<T>(
	service: TestService,
	work: (engine: Engine) => Promise<T>,
): Promise<T> {
	await using engine = await service.openDatabase();
	return await work(engine);
}
