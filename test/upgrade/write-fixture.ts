// Writes the fixture of a version on both engines: `node test/upgrade/write-fixture.ts`, or with the next version as
// its argument.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mailedToken, submit, submitApproved } from "../harness/access-requests.ts";
import { addAdminKey } from "../harness/admin-keys.ts";
import { addApiClient, addApplication } from "../harness/applications.ts";
import { makePlace, type Place } from "../harness/installation.ts";
import { addPerson } from "../harness/people.ts";
import { resetTokenFor } from "../harness/recovery.ts";
import { codeFor } from "../harness/registration.ts";
import { addPersonWithTotp, passwordStep } from "../harness/second-factors.ts";
import { signedHeaders, type TestService } from "../harness/service.ts";
import { type HandedOut, writeFixture } from "./fixture.ts";

const WHOAMI = "/api/v1/external/whoami";
const { version: current } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const [version = current] = process.argv.slice(2);

for (const engine of ["sqlite", "postgres"] as const) {
	const place = await makePlace(engine);
	const service = await place.serve();
	const handedOut = await live(service);
	await service.stop();
	const waitingMail = await leaveMailWaiting(place);
	const database = dump(place);
	await place.remove();
	writeFixture(version, engine, { database, handedOut: { ...handedOut, waitingMail } });
	console.log(`${version} on ${engine}: ${database.length} bytes`);
}

async function live(service: TestService): Promise<Omit<HandedOut, "waitingMail">> {
	service.clock.standAt(Date.now());
	const app = await addApplication(service, { access_policy: "open" });
	const user = await addPerson(service, "everyday");
	const client = await addApiClient(service, { app_id: app.id });
	const accepted = signedHeaders(client, { method: "GET", path: WHOAMI, nowMs: service.clock.now() });
	assert.equal((await service.call("GET", WHOAMI, { https: true, headers: accepted })).status, 200);
	const approved = await submitApproved(service);
	const pending = await submit(service);
	const email = "newcomer@people.example";
	const forgetful = await addPerson(service, "forgetful");
	const person = await addPersonWithTotp(service, "careful");
	return {
		sessions: [await signIn(service, user), await signIn(service, user, app.id)],
		person,
		mfaToken: await passwordStep(service, person),
		client,
		accepted,
		claim: await mailedToken(service, approved.email, "claim"),
		withdraw: await mailedToken(service, pending.email, "withdraw"),
		registration: { email, code: await codeFor(service, email) },
		reset: { username: forgetful.username, token: await resetTokenFor(service, forgetful.email) },
		administered: await administer(service),
		atMs: service.clock.now(),
	};
}

async function administer(service: TestService): Promise<HandedOut["administered"]> {
	const token = await service.adminToken();
	const { key: adminKey } = await addAdminKey(service, { roles: ["admin"] });
	const email = "invited@people.example";
	const user = { username: "invited", email, invite: true, locale: "zh-CN" };
	assert.equal((await service.call("POST", "/api/v1/users", { token, body: user })).status, 201);
	const productName = "Looms";
	const brand = { token, body: { product_name: productName } };
	assert.equal((await service.call("PUT", "/api/v1/branding", brand)).status, 200);
	return { adminKey, invitation: await mailedToken(service, email, "invite"), productName };
}

async function signIn(
	service: TestService,
	{ username, password }: { readonly username: string; readonly password: string },
	app_id?: string,
) {
	const body = { username, password, ...(app_id === undefined ? {} : { app_id }) };
	const response = await service.call("POST", "/api/v1/auth/login", { body });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	const { access_token: access, refresh_token: refresh } = response.body.data;
	return { access, refresh };
}

/** Submits an access request while the mail server is unreachable: nothing listens on port 9. */
async function leaveMailWaiting(place: Place): Promise<string> {
	const service = await place.serve({ env: { LATCHKEY_SMTP_URL: "smtp://127.0.0.1:9" } });
	const { email } = await submit(service, { email: "waiting@partner.example" });
	await service.stop();
	return email;
}

/** The database file, or the SQL statements that rebuild a PostgreSQL database. */
function dump({ dataDir, databaseUrl }: Place): Buffer {
	if (databaseUrl === undefined) return readFileSync(join(dataDir, "latchkey.db"));
	const program = globSync("/usr/lib/postgresql/*/bin/pg_dump").sort().at(-1) ?? "pg_dump";
	const text = execFileSync(program, ["--inserts", "--no-owner", "--no-privileges", databaseUrl], {
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	// Lines that begin with a backslash are commands of psql.
	return Buffer.from(text.replaceAll(/^\\.*\n/gm, ""));
}
