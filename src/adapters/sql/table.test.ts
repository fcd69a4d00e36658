import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { isNumber, listOf } from "../../kernel/shape.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import {
	commaList,
	emptyAsNull,
	enclosedList,
	flag,
	foldedFrom,
	integer,
	json,
	key,
	named,
	nullable,
	sealed,
	text,
} from "./column.ts";
import { Filter } from "./page.ts";
import { type Queries, type Sql, type SqlValue, textOf } from "./queries.ts";
import { table, unlessTaken } from "./table.ts";
import { KEPT } from "./table-policy.ts";

/** Records statements and returns prepared rows. */
class Recorder implements Queries {
	readonly asked: { sql: string; parameters: SqlValue[] }[] = [];
	rows: object[] = [];
	changed = 1;

	async one<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return (await this.all<Row>(sql, ...parameters))[0];
	}
	all<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]> {
		this.asked.push({ sql: textOf(sql).replaceAll(/\s+/g, " "), parameters });
		return Promise.resolve(this.rows.map((row) => ({ ...row })) as Row[]);
	}
	run(sql: Sql, ...parameters: SqlValue[]): Promise<number> {
		this.asked.push({ sql: textOf(sql).replaceAll(/\s+/g, " "), parameters });
		return Promise.resolve(this.changed);
	}
}

const books = table("books", KEPT, {
	id: key(text()),
	title: text(),
	isLent: flag(),
	authors: commaList(),
	topics: enclosedList<"art" | "law">(),
	pages: nullable(json(listOf(isNumber))),
	issuer: emptyAsNull(),
	noteSealed: nullable(sealed((id) => `book:${id}`)),
	addedAtMs: integer(),
	sent1AtMs: named("first_sent", integer()),
});
const stored = {
	id: "b1",
	title: "T",
	isLent: 1,
	authors: "a,b",
	topics: ",art,law,",
	pages: "[1,2]",
	issuer: "",
	noteSealed: null,
	addedAtMs: 5,
	sent1AtMs: 6,
};
const book = {
	...stored,
	isLent: true,
	authors: ["a", "b"],
	topics: ["art", "law"] as const,
	pages: [1, 2],
	issuer: null,
};
const COLUMNS = "id, title, is_lent, authors, topics, pages, issuer, note_sealed, added_at, first_sent";
const short = books.pick("id", "isLent", "addedAtMs");

let queries: Recorder;
beforeEach(() => {
	queries = new Recorder();
});
const lastSql = (): string | undefined => queries.asked.at(-1)?.sql;
const lastParameters = (): SqlValue[] | undefined => queries.asked.at(-1)?.parameters;

describe("a described table", () => {
	it("converts a row to its stored form and back", async () => {
		await books.insert(queries, book);
		assert.equal(
			lastSql(),
			`INSERT INTO books (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		);
		assert.deepEqual(lastParameters(), Object.values(stored));
		queries.rows = [stored];
		assert.deepEqual(await books.find(queries, "id = $1", "b1"), book);
		assert.deepEqual(await books.all(queries, "title = $1", "T"), [book]);
	});

	it("reads NULL, an empty list, and a missing row", async () => {
		queries.rows = [{ ...stored, pages: null, authors: "", isLent: 0 }];
		const found = await books.find(queries, "id = $1", "b1");
		assert.deepEqual([found?.pages, found?.authors, found?.isLent], [null, [], false]);
		queries.rows = [];
		assert.equal(await books.find(queries, "id = $1", "b1"), undefined);
	});

	it("derives column names from fields: without units, with numbers separated", () => {
		const { fields } = table("t", KEPT, { lastLoginAtMs: integer(), sent1AtMs: integer() });
		assert.deepEqual(
			fields.map(({ column }) => column),
			["last_login_at", "sent_1_at"],
		);
	});

	it("selects some of its columns, with an alias if given", async () => {
		queries.rows = [{ id: "b1", isLent: 0, addedAtMs: 5 }];
		assert.deepEqual(await short.find(queries, "id = $1", "b1"), { id: "b1", isLent: false, addedAtMs: 5 });
		assert.equal(
			lastSql(),
			'SELECT id AS "id", is_lent AS "isLent", added_at AS "addedAtMs" FROM books WHERE id = $1',
		);
		assert.equal(short.as("b").columns, 'b.id AS "id", b.is_lent AS "isLent", b.added_at AS "addedAtMs"');
		assert.equal(short.without("isLent").columns, 'id AS "id", added_at AS "addedAtMs"');
	});

	it("extracts its own fields from the row of a join without modifying the row", () => {
		const row = { id: "b1", isLent: 1, addedAtMs: 5, other: "x" };
		assert.deepEqual(short.read(row), { id: "b1", isLent: true, addedAtMs: 5 });
		assert.equal(row.isLent, 1);
	});

	it("lists a page with its total", async () => {
		queries.rows = [{ id: "b1", isLent: 1, addedAtMs: 5, total: 1 }];
		const filter = new Filter().add("title = ?", "T");
		const order = "added_at DESC";
		const { items, total } = await short.list(queries, { filter, order }, { page: 2, pageSize: 10 });
		assert.equal(total, 1);
		assert.equal(items[0]?.isLent, true);
		assert.match(lastSql() ?? "", /WHERE title = \$1 ORDER BY added_at DESC LIMIT \$2 OFFSET \$3$/);
		assert.deepEqual(lastParameters(), ["T", 10, 10]);
	});
});

describe("a folded column", () => {
	const people = table("people", KEPT, {
		id: key(text()),
		name: text(),
		nameFolded: foldedFrom("name"),
		atMs: integer(),
	});
	const zoe = { id: "p1", name: "Zoë", atMs: 1 };

	it("is written with its source, by every kind of insert", async () => {
		await people.insert(queries, zoe);
		assert.equal(lastSql(), "INSERT INTO people (id, name, name_folded, at) VALUES ($1, $2, $3, $4)");
		assert.deepEqual(lastParameters(), ["p1", "Zoë", "zoe", 1]);
		await people.insertUnlessTaken(queries, zoe);
		assert.deepEqual(lastParameters(), ["p1", "Zoë", "zoe", 1]);
		await people.insertWith({ onConflict: "(id) DO NOTHING" })(queries, zoe);
		assert.deepEqual(lastParameters(), ["p1", "Zoë", "zoe", 1]);
	});

	it("changes with its source only", async () => {
		await people.update(queries, { name: "José" }, { id: "p1" });
		assert.equal(lastSql(), "UPDATE people SET name = $2, name_folded = $3 WHERE id = $1");
		assert.deepEqual(lastParameters(), ["p1", "José", "jose"]);
		await people.update(queries, { name: undefined, atMs: 2 }, { id: "p1" });
		assert.equal(lastSql(), "UPDATE people SET at = $2 WHERE id = $1");
	});

	it("is not part of a row", async () => {
		queries.rows = [zoe];
		assert.deepEqual(await people.find(queries, { id: "p1" }), zoe);
		assert.equal(lastSql(), 'SELECT id AS "id", name AS "name", at AS "atMs" FROM people WHERE id = $1');
		assert.deepEqual(people.read(zoe), zoe);
	});
});

describe("a write to a described table", () => {
	it("changes only the given fields, numbered after the parameters of the condition", async () => {
		const changes = { isLent: false, title: undefined, pages: null };
		assert.equal(await books.updateOne(queries, changes, "id = $1 AND title = $2", "b1", "T"), true);
		assert.equal(lastSql(), "UPDATE books SET is_lent = $3, pages = $4 WHERE id = $1 AND title = $2");
		assert.deepEqual(lastParameters(), ["b1", "T", 0, null]);
	});

	it("returns whether a unique index refused an insert", async () => {
		const row = { id: "b1", isLent: true, addedAtMs: 5 };
		assert.equal(await short.insertUnlessTaken(queries, row), true);
		assert.match(lastSql() ?? "", /ON CONFLICT DO NOTHING$/);
		queries.changed = 0;
		assert.equal(await short.insertUnlessTaken(queries, row), false);
	});

	it("inserts with a condition and a conflict clause over fields and further parameters", async () => {
		const put = short.insertWith({
			where: "{addedAtMs} > {0}",
			onConflict: "(id) DO UPDATE SET added_at = {addedAtMs} WHERE books.added_at < {1}",
		});
		assert.equal(await put(queries, { id: "b1", isLent: true, addedAtMs: 5 }, 7, 8), 1);
		assert.equal(
			lastSql(),
			"INSERT INTO books (id, is_lent, added_at) SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT) WHERE $3 > $4 ON CONFLICT (id) DO UPDATE SET added_at = $3 WHERE books.added_at < $5",
		);
		assert.deepEqual(lastParameters(), ["b1", 1, 5, 7, 8]);
	});

	it("returns the row that an UPDATE or DELETE matched", async () => {
		queries.rows = [{ id: "b1", isLent: 1, addedAtMs: 5 }];
		const row = await short.returning(queries, "DELETE FROM books WHERE id = $1", "b1");
		assert.deepEqual(row, { id: "b1", isLent: true, addedAtMs: 5 });
		assert.match(lastSql() ?? "", /^DELETE FROM books WHERE id = \$1 RETURNING id AS "id", /);
	});

	it("purges by the full key, up to a number of rows", async () => {
		const pairs = table("pairs", KEPT, { a: key(text()), b: key(text()), atMs: integer() });
		await pairs.purge(queries, "at <= $1", 5, 100);
		assert.equal(
			lastSql(),
			"DELETE FROM pairs WHERE (a, b) IN (SELECT a, b FROM pairs WHERE at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)",
		);
	});

	it("refuses to change the tenant and the columns of the key", async () => {
		const places = table("places", KEPT, { kind: key(text()), tenantId: text(), count: integer() });
		assert.throws(() => places.set({ count: 2, kind: "b" }, 1), /kind cannot be changed/);
		// The type forbids it too, but an object may have more members than its type.
		const wide: object = { count: 2, tenantId: "other" };
		assert.throws(() => places.set(wide, 1), /tenant_id cannot be changed/);
		// @ts-expect-error the tenant of a row cannot be changed
		assert.throws(() => places.set({ tenantId: "other" }, 1), /cannot be changed/);
		assert.equal(places.set({ count: 2, kind: undefined }, 1).sql, "count = $1");
	});

	it("locks rows without writing them", async () => {
		await short.lock(queries, "id = $1", "b1");
		assert.equal(lastSql(), "SELECT 1 AS locked FROM books WHERE id = $1 FOR NO KEY UPDATE");
	});
});

describe("unlessTaken", () => {
	it("converts only unique violations to an outcome, no other error", async () => {
		assert.equal(await unlessTaken(Promise.resolve("done"), () => "taken"), "done");
		const refused = unlessTaken(
			Promise.reject(new UniqueViolation("books.title")),
			(constraint) => constraint,
		);
		assert.equal(await refused, "books.title");
		await assert.rejects(
			unlessTaken(Promise.reject(new Error("away")), () => "taken"),
			/away/,
		);
	});
});
