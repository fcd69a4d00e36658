// The export of a user's data: every column about a user is in it, or in the list of exceptions in docs/personal-data.md.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Engine, SqlValue } from "../src/adapters/sql/engine.ts";
import { TABLES } from "../src/adapters/sql/tables/all-tables.ts";
import type { Db } from "../src/domain/stores.ts";
import { readersOf } from "../src/features/identity/users/personal-data-parts-wire.ts";
import { jsonParts } from "../src/features/identity/users/stream-json.ts";
import { bare, readDocument, sections, tableRows } from "./docs/document.ts";
import { openTestEngine } from "./harness/databases/test-engine.ts";
import { explainedStores, fillTables } from "./plans/explained-database.ts";
import { cells, TENANT, USER } from "./plans/filled-rows.ts";

/** Names of columns that identify or describe a person. */
const PERSONAL = /user|supporter|_by$|mail|recipient|address|actor|target|caller|subject|applicant/;
/** Never in an export, in any table. */
const SECRET = /digest|sealed|secret|hash|public_key|credential_id|user_handle|api_key|payload/;
/** Markers of other people: `email-8` is the address of the user `users-8`. */
const OF_PEOPLE =
	/"(?:(?:user|person):)?(?:users|username|email|display_name|sessions|user_agent|third_party_accounts|provider_user_id|admin_keys|passkeys|mail_outbox|recipient|reason|applicant_name|name)-(\d+)"/g;

type Data = Readonly<Record<string, unknown>>;

const [covered = new Map(), excepted = new Map()] = documented();

/** The two tables of the document: columns with their member, and exceptions with their reason. */
function documented(): Map<string, string>[] {
	const text = sections(readDocument("docs/personal-data.md")).get("Where each column is") ?? "";
	return text
		.split("The export leaves these out:")
		.map((part) => new Map(tableRows(part).map(([column = "", use = ""]) => [bare(column), bare(use)])));
}

/** All columns about people, by name, and `id` of tables that share the id of the user. */
function personalColumns(): string[] {
	return TABLES.flatMap(({ name, fields }) =>
		fields
			.map(({ column }) => column)
			.filter((column) => PERSONAL.test(column) || (name === "user_keys" && column === "id"))
			.map((column) => `${name}.${column}`),
	);
}

describe("the export of a user's data", () => {
	let engine: Engine;
	let db: Db;
	let text: string;
	let data: Data;
	before(async () => {
		engine = await openTestEngine();
		await fillTables(engine);
		const { queries } = engine;
		await queries.run("UPDATE mail_outbox SET recipient = 'email-7' WHERE id = 'mail_outbox-7'");
		await queries.run("UPDATE refusals SET caller = $1 WHERE id = 'refusals-7'", `person:${USER}`);
		await addEvent({ id: "about", sequence: 1_000, target: `user:${USER}` });
		await addEvent({ id: "by", sequence: 1_001, actor: `user:${USER}`, target: "user:users-8" });
		db = explainedStores(engine, async () => undefined);
		text = await exportOf(USER);
		data = JSON.parse(text).data;
	});
	after(() => engine.close());

	/** The rows of the trail are append-only. */
	async function addEvent(values: Readonly<Record<string, SqlValue>>): Promise<void> {
		const table = TABLES.find(({ name }) => name === "audit_events");
		assert.ok(table);
		const columns = table.fields.map(({ column }) => column);
		const row = cells(table, 7).map((cell, at) => values[columns[at] ?? ""] ?? cell);
		const places = columns.map((_, at) => `$${at + 1}`).join(", ");
		await engine.queries.run(`INSERT INTO audit_events (${columns.join(", ")}) VALUES (${places})`, ...row);
	}

	/** Before the generated sessions expire. */
	async function exportOf(userId: string): Promise<string> {
		const user = await db.stores.users.findById(TENANT, userId);
		assert.ok(user);
		let written = "";
		for await (const part of jsonParts(readersOf({ db, clock: () => 5 }, user, null))) written += part;
		return written;
	}

	it("has every column about a person, or docs/personal-data.md says why not", () => {
		const known = [...covered.keys(), ...excepted.keys()];
		assert.deepEqual(known.toSorted(), personalColumns().toSorted());
		for (const [column, reason] of excepted) assert.ok(reason.includes(" "), column);
	});

	it("knows every column that refers to a user", async () => {
		if (engine.name !== "sqlite") return;
		const referring = await engine.queries.all<{ column: string }>(
			`SELECT t.name || '.' || f."from" AS "column" FROM sqlite_master t, pragma_foreign_key_list(t.name) f
			WHERE t.type = 'table' AND f."table" = 'users'`,
		);
		assert.ok(referring.length >= 15);
		for (const { column } of referring) assert.ok(covered.has(column) || excepted.has(column), column);
	});

	it("has the rows of the user from every table", () => {
		for (const [column, member] of covered) {
			const part = data[member];
			const rows = Array.isArray(part) ? part.length : Object.keys(part ?? {}).length;
			assert.ok(rows > 0, `${member} is empty, so ${column} is missing`);
		}
		const { totp, recovery_codes_left } = data.second_factors as Data;
		assert.deepEqual([totp, recovery_codes_left], [true, 0]);
		const [about, by] = data.events as [Data, Data];
		assert.deepEqual([about.target, about.actor, about.ip], [`user:${USER}`, "actor-7", ""]);
		assert.deepEqual([by.actor, by.target, by.ip], [`user:${USER}`, "user", "192.0.2.1"]);
	});

	it("has no secret, no digest, and nothing about another person", () => {
		const people = [...text.matchAll(OF_PEOPLE)].filter(([, number]) => number !== "7" && number !== "0");
		assert.deepEqual(
			people.map(([marker]) => marker),
			[],
		);
		const secrets = TABLES.flatMap(({ fields }) => fields.map(({ column }) => column)).filter((column) =>
			SECRET.test(column),
		);
		assert.ok(secrets.length > 20);
		for (const column of secrets) assert.ok(!text.includes(`${column}-7`), column);
	});

	it("has nothing that was sent to an address which the user did not verify", async () => {
		await engine.queries.run("UPDATE users SET email_verified = 0 WHERE id = $1", USER);
		const { mails, access_requests } = JSON.parse(await exportOf(USER)).data;
		assert.deepEqual([mails, access_requests], [[], []]);
	});
});
