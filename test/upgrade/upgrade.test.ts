// The database of every released version, migrated by this version and one migration more: users stay signed in, nothing
// is lost, and nothing works twice.

import "./next-migration.ts";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { migrate } from "../../src/adapters/migrations/migrate.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { submit } from "../harness/access-requests.ts";
import { statusWith } from "../harness/admin-keys.ts";
import { type EngineName, makePlace, type Place } from "../harness/installation.ts";
import { POSTGRES_SKIPPED } from "../harness/postgres-skipped.ts";
import { completeMfa, nextCode, passwordStep } from "../harness/second-factors.ts";
import type { TestService } from "../harness/service.ts";
import { fixtureVersions, placeFixture, readHandedOut } from "./fixture.ts";

const WHOAMI = "/api/v1/external/whoami";
const REQUESTS = "/api/v1/access-requests";
const MINUTE_MS = 60_000;
const ENGINES: readonly EngineName[] = ["sqlite", "postgres"];

type Row = Readonly<Record<string, unknown>>;

/** Tables that a later version removed, and why their rows are not needed. Empty: every table is kept. */
const REPLACED_TABLES: ReadonlySet<string> = new Set();

async function tablesOf({ name, queries }: Engine): Promise<string[]> {
	const sql =
		name === "sqlite"
			? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
			: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
	const tables = await queries.all<{ name: string }>(sql);
	return tables.map((table) => table.name).sort();
}

async function rowsOf(engine: Engine): Promise<Map<string, Row[]>> {
	const rows = new Map<string, Row[]>();
	for (const table of await tablesOf(engine))
		rows.set(table, await engine.queries.all<Row>(`SELECT * FROM ${table}`));
	return rows;
}

/** The values of the columns that `like` has; the row may have more. */
function asIn(like: Row, row: Row): string {
	return JSON.stringify(Object.keys(like).map((column) => row[column]));
}

for (const version of fixtureVersions()) {
	for (const engine of ENGINES) {
		const skip = engine === "postgres" && POSTGRES_SKIPPED;
		describe(`version ${version} on ${engine}`, { skip }, () => {
			const had = readHandedOut(version, engine);
			let place: Place;
			let service: TestService;
			before(async () => {
				place = await makePlace(engine);
				await placeFixture(version, place);
			});
			after(async () => {
				await service?.stop();
				await place.remove();
			});

			it("keeps every row and every value", async () => {
				const opened = await place.open();
				const old = await rowsOf(opened);
				assert.equal((await migrate(opened, had.atMs)).at(-1), "next");
				await opened.close();
				// On a new connection: PostgreSQL refuses a prepared `SELECT *` after a column is added.
				const reopened = await place.open();
				const migrated = await rowsOf(reopened);
				await reopened.close();
				assert.ok((old.get("users") ?? []).length > 3);
				for (const [table, oldRows] of old) {
					if (REPLACED_TABLES.has(table)) continue;
					const found = new Set(migrated.get(table)?.map((row) => asIn(oldRows[0] ?? {}, row)));
					for (const row of oldRows) assert.ok(found.has(asIn(row, row)), `${table}: ${asIn(row, row)}`);
				}
			});

			it("keeps users signed in, with access tokens and refresh tokens", async () => {
				service = await place.serve({ atMs: had.atMs });
				const [own, application] = had.sessions;
				assert.ok(own !== undefined && application !== undefined);
				for (const { access } of [own, application])
					assert.equal((await service.call("GET", "/api/v1/users/me", { token: access })).status, 200);
				for (const { refresh } of [own, application]) {
					const body = { refresh_token: refresh };
					const response = await service.call("POST", "/api/v1/auth/refresh", { body });
					assert.equal(response.status, 200, JSON.stringify(response.body));
				}
			});

			it("completes a sign-in that waited for its second factor, and accepts the next one", async () => {
				const first = await completeMfa(service, had.mfaToken, "totp", nextCode(service, had.person.secret));
				assert.equal(first.status, 200, JSON.stringify(first.body));
				const token = await passwordStep(service, had.person);
				const [recoveryCode = ""] = had.person.recoveryCodes;
				assert.equal((await completeMfa(service, token, "recovery_code", recoveryCode)).status, 200);
			});

			it("accepts signed requests, and refuses replays from before the upgrade", async () => {
				const headers = { ...had.accepted, accept: "application/problem+json" };
				const replay = await service.call("GET", WHOAMI, { https: true, headers });
				assert.deepEqual([replay.status, replay.body.code], [401, "nonce.reused"]);
				assert.equal((await service.signed(had.client, "GET", WHOAMI)).status, 200);
			});

			it("accepts the codes and links that were mailed before", async () => {
				const password = "a new and long password";
				const registered = { ...had.registration, username: "newcomer", password };
				assert.equal((await service.call("POST", "/api/v1/auth/register", { body: registered })).status, 201);
				const reset = { token: had.reset.token, new_password: password };
				assert.equal(
					(await service.call("POST", "/api/v1/auth/password/reset", { body: reset })).status,
					204,
				);
				await service.tokenOf(had.reset.username, password);
				const claim = await service.call("POST", `${REQUESTS}/claim`, { body: { token: had.claim } });
				assert.equal(claim.status, 201, JSON.stringify(claim.body));
				const withdrawal = { body: { token: had.withdraw } };
				assert.equal((await service.call("POST", `${REQUESTS}/withdraw`, withdrawal)).status, 204);
			});

			it("keeps admin keys, invitations and the brand", async () => {
				const { adminKey, invitation, productName } = had.administered;
				assert.equal(await statusWith(service, { key: adminKey }), 200);
				const body = { token: invitation, password: "a new and long password" };
				const accepted = await service.call("POST", "/api/v1/auth/invite/accept", { body });
				assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
				assert.equal(accepted.body.data.user.locale, "zh-CN");
				const brand = await service.call("GET", "/api/v1/branding");
				assert.equal(brand.body.data.product_name, productName);
			});

			it("delivers the mails that waited", async () => {
				service.clock.advance(60 * MINUTE_MS);
				await submit(service);
				const [mail] = await service.mailsTo(had.waitingMail);
				assert.match(mail?.text ?? "", /withdraw/);
			});

			it("verifies the audit trail from its first event", async () => {
				const { code, stderr } = await place.run(["audit", "verify"]);
				assert.equal(code, 0, stderr);
			});

			it("lists earlier audit events with their names and summaries", async () => {
				const made = await place.run([
					"admin",
					"create",
					"--username",
					"reader",
					"--email",
					"reader@upgrade.example",
				]);
				const password = /^password: (\S+)/.exec(made.stdout)?.[1] ?? assert.fail(made.stderr);
				const token = await service.tokenOf("reader", password);
				const list = async (query: string) =>
					(await service.call("GET", `/api/v1/audit-events?${query}`, { token })).body.data;
				const [started] = await list("action=service.first_started");
				assert.deepEqual([started?.actor_name, started?.target_name, started?.changes], ["", "admin", {}]);
				assert.equal(started?.summary, "The service started for the first time and created user admin");
				const [created] = await list("target_name=reader&action=user.created");
				assert.match(created?.summary ?? "", /^.+ \(command line\) created user reader$/);
			});
		});
	}
}
