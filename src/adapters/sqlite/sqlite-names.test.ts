import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { temporaryFolder } from "../../../test/harness/runs/folder.ts";
import { userCiphers } from "../../crypto/user-ciphers.ts";
import type { Row } from "../../domain/backup.ts";
import type { UserQuery } from "../../domain/user.ts";
import { folded } from "../../kernel/folded.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { createUserStore } from "../stores/user-store.ts";
import { openSqlite } from "./sqlite.ts";
import { createNameIndex, extendNameIndex } from "./sqlite-names.ts";

const PAGE = { page: 1, pageSize: 7 };
const KEYS = { userCiphers, seal: (text: string): string => text };
const TENANTS = ["t1", "t2"];
/** Case, marks of LIKE and of FTS5, letters of several bytes, letters whose other case is longer, and parts of parts. */
const PIECES =
	"An an AN ber Ber 100% % _ __ \\ \" ' * - + ( ) : ^ AND OR NEAR é É ß ẞ İ i ı ñ 漢字 漢 😀 👩‍👩‍👧 e\u0301 \u00a0 . @ 77 777 son Sch".split(
		" ",
	);
const UPDATES =
	"UPDATE users SET username = $2, username_key = $2, email = $3, display_name_folded = $4 WHERE id = $1";
const REST = "SELECT count(*) AS rest FROM search_users_rest";

/** Returns the same numbers in every run. */
function generator(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return (state >>> 8) % below;
	};
}

describe("the index over names", () => {
	let folder: ReturnType<typeof temporaryFolder>;
	let engine: Engine;
	let random: (below: number) => number;
	let made: number;
	const file = () => `${folder.path}/test.db`;

	beforeEach(async () => {
		folder = temporaryFolder();
		engine = openSqlite(file());
		random = generator(1);
		made = 0;
		await migrate(engine, 1);
		for (const id of TENANTS)
			await engine.queries.run(
				"INSERT INTO tenants (id, name, name_folded, slug, created_at, updated_at) VALUES ($1, $1, $1, $1, 1, 1)",
				id,
			);
	});
	afterEach(async () => {
		await engine.close();
		folder[Symbol.dispose]();
	});

	const name = (): string =>
		Array.from({ length: 1 + random(5) }, () => PIECES[random(PIECES.length)]).join("");
	const names = (number: number): [string, string, string] => [
		folded(`${name()}${number}`),
		folded(`${name()}${number}@x.example`),
		random(4) === 0 ? "" : folded(name()),
	];

	async function add(queries: Queries, count: number): Promise<void> {
		for (let index = 0; index < count; index++) {
			made += 1;
			const id = `user-${String(random(1_000_000)).padStart(6, "0")}-${made}`;
			await queries.run(
				`INSERT INTO users (id, tenant_id, username, username_key, email, email_verified, display_name, display_name_folded, avatar_url,
				 status, roles, password_hash, created_at, updated_at) VALUES ($1, $2, $3, $3, $4, 1, '', $5, '', $6, $7, '', $8, 1)`,
				id,
				TENANTS[random(TENANTS.length)] ?? "",
				...names(made),
				random(3) === 0 ? "disabled" : "active",
				random(5) === 0 ? "reviewer" : "",
				random(50),
			);
		}
	}
	const anyId = async (): Promise<string> => {
		const users = await engine.queries.all<{ id: string }>("SELECT id FROM users ORDER BY id");
		return users[random(users.length)]?.id ?? "";
	};

	/** Compares a search by index, outside a transaction, with a full scan inside one. */
	async function compare(query: UserQuery): Promise<number> {
		const found = await createUserStore(engine.queries, KEYS).list(query, PAGE);
		const expected = await engine.transaction((queries) => createUserStore(queries, KEYS).list(query, PAGE));
		assert.deepEqual(found, expected, JSON.stringify(query));
		return found.total;
	}

	async function compareMany(count: number): Promise<void> {
		let matched = 0;
		for (let index = 0; index < count; index++) {
			const sort = (["newest", "name", "-username", "last_login_at"] as const)[random(4)] ?? "newest";
			const query: UserQuery = { tenantId: TENANTS[random(2)] ?? "", q: name(), sort };
			const status = random(3) === 0 ? ({ status: "active" } as const) : {};
			const role = random(4) === 0 ? ({ role: "reviewer" } as const) : {};
			matched += (await compare({ ...query, ...status, ...role })) > 0 ? 1 : 0;
		}
		assert.ok(count < 100 || matched > count / 20, `${matched} of ${count} searches found a user`);
	}

	/** Whether a search uses the index: empties the index and searches again. */
	async function isUsed(): Promise<boolean> {
		await engine.queries.run("INSERT INTO search_users_letters (search_users_letters) VALUES ('delete-all')");
		return (
			(await createUserStore(engine.queries, KEYS).list({ tenantId: "t1", q: "@x.example" }, PAGE)).total ===
			0
		);
	}
	it("finds the same users as a full scan, while users are added, changed, and deleted", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 400));
		await compareMany(150);
		for (let round = 0; round < 150; round++) {
			const kind = random(4);
			if (kind === 0) await engine.transaction((queries) => add(queries, 1 + random(3)));
			if (kind === 1) await engine.queries.run(UPDATES, await anyId(), ...names(++made));
			if (kind === 2) await engine.queries.run("DELETE FROM users WHERE id = $1", await anyId());
			if (kind === 3)
				await engine.queries.run("UPDATE users SET last_login_at = 5 WHERE id = $1", await anyId());
			if (round % 10 === 0) await compareMany(10);
		}
		await compareMany(100);
		assert.equal(await isUsed(), true);
	});

	it("handles a reused row number", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 20));
		for (let round = 0; round < 30; round++) {
			await engine.transaction(async (queries) => {
				await queries.run("DELETE FROM users WHERE rowid = (SELECT max(rowid) FROM users)");
				await add(queries, 1);
			});
			await compareMany(20);
		}
	});

	it("drops changes that were rolled back", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 50));
		const undone = engine.transaction(async (queries) => {
			await add(queries, 5);
			await queries.run("DELETE FROM users WHERE rowid <= 20");
			throw new Error("undo");
		});
		await Promise.all([assert.rejects(undone, /undo/), engine.transaction((queries) => add(queries, 5))]);
		await compareMany(100);
	});

	it("indexes existing users in steps, while others are added and deleted", async () => {
		await engine.transaction((queries) => add(queries, 1_000));
		await engine.transaction(createNameIndex);
		let steps = 0;
		for (; await engine.transaction(extendNameIndex); steps++) {
			await engine.transaction((queries) => add(queries, 3));
			await engine.queries.run(UPDATES, await anyId(), ...names(++made));
			await engine.queries.run("DELETE FROM users WHERE id = $1", await anyId());
			await compareMany(5);
		}
		assert.ok(steps >= 5);
		assert.deepEqual(await engine.queries.all(REST), [{ rest: 0 }]);
		await compareMany(200);
		assert.equal(await isUsed(), true);
	});

	it("resumes where it stopped, and is not used before it is complete", async () => {
		await engine.transaction((queries) => add(queries, 1_000));
		const stopped = engine.prepareSearches();
		await engine.close();
		await stopped;
		engine = openSqlite(file());
		assert.deepEqual(await engine.queries.all(REST), [{ rest: 1 }]);
		await compareMany(50);
		await engine.prepareSearches();
		assert.deepEqual(await engine.queries.all(REST), [{ rest: 0 }]);
		await compareMany(100);
	});

	it("survives changes by other programs, and VACUUM", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 300));
		await engine.queries.run("DELETE FROM users WHERE rowid % 3 = 0");
		await engine.close();
		const other = new DatabaseSync(file());
		other.exec("UPDATE users SET display_name_folded = 'somebody else' WHERE rowid % 5 = 0; VACUUM;");
		other.close();
		engine = openSqlite(file());
		assert.ok((await compare({ tenantId: "t1", q: "body els" })) > 0);
		await compareMany(100);
	});

	it("is recreated if a part of it is missing", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 50));
		await engine.queries.run("DROP TRIGGER search_users_insert");
		await engine.transaction((queries) => add(queries, 50));
		await compareMany(50);
		assert.equal(await isUsed(), false, "it is not used without its triggers");
		await engine.prepareSearches();
		await compareMany(50);
		assert.equal(await isUsed(), true);
	});

	it("is excluded from copies, and removed when rows are copied in", async () => {
		await engine.prepareSearches();
		await engine.transaction((queries) => add(queries, 20));
		const tables = await engine.whole.view((view) => engine.whole.tables(view));
		assert.deepEqual(
			tables.filter((table) => table.name.startsWith("search")),
			[],
		);
		const users = tables.find((table) => table.name === "users");
		assert.ok(users);
		const { whole } = engine;
		await engine.transaction(async (queries) => {
			const rows: Row[] = [];
			for await (const some of whole.rows(queries, users)) rows.push(...some);
			await whole.copying(queries, async () => {
				await queries.run("DELETE FROM users");
				await whole.insert(queries, users, rows.slice(5));
			});
		});
		await compareMany(50);
		await engine.prepareSearches();
		await compareMany(50);
		assert.equal(await isUsed(), true);
	});

	it("is not used for searches that match very many users", async () => {
		await engine.prepareSearches();
		await engine.queries.run(
			`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
			 INSERT INTO users (id, tenant_id, username, username_key, email, email_verified, display_name, display_name_folded, avatar_url, status, roles, password_hash, created_at, updated_at)
			 SELECT 'crowd-' || i, 't1', 'crowd-' || i, 'crowd-' || i, i || '@x.example', 1, '', '', '', 'active', '', '', i, 1 FROM n`,
		);
		assert.equal(await compare({ tenantId: "t1", q: "crowd" }), 1_000, "the total stops");
		assert.equal(await compare({ tenantId: "t1", q: "CROWD-2000" }), 3);
	});
});
