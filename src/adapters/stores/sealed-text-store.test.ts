import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { SEALED_COLUMNS, type SealedColumn } from "../sql/sealed-columns.ts";
import { createSealedTextStore, type SealedTextStore } from "./sealed-text-store.ts";

onEachEngine("sealed texts of a column", (database) => {
	const old = (text: string) => `v1.aaaaaaaa.${text}`;
	const now = (text: string) => `v1.bbbbbbbb.${text}`;
	let store: SealedTextStore;
	before(async () => {
		const column = SEALED_COLUMNS.find(({ table }) => table === "derivation_roots") as SealedColumn;
		store = createSealedTextStore(database.engine.queries, column);
		for (const [id, sealed] of [
			["a", old("1")],
			["b", now("2")],
			["c", old("3")],
			["d", ""],
			["e", old("5")],
		] as const)
			await database.db.stores.derivationRoots.insertOnce(id, sealed, 0);
	});

	it("are counted by key, without empty ones", async () => {
		assert.deepEqual(await store.countByKey(), [
			{ keyId: "aaaaaaaa", texts: 3 },
			{ keyId: "bbbbbbbb", texts: 1 },
		]);
	});

	it("are listed by id, without those of the current key", async () => {
		const first = await store.listOthers("bbbbbbbb", "", 2);
		assert.deepEqual(first, [
			{ id: "a", sealed: old("1") },
			{ id: "c", sealed: old("3") },
		]);
		assert.deepEqual(await store.listOthers("bbbbbbbb", "c", 2), [{ id: "e", sealed: old("5") }]);
	});

	it("are replaced only if they are unchanged since they were read", async () => {
		const row = { id: "a", sealed: old("1") };
		assert.equal(await store.replace(row, now("1")), true);
		assert.equal(await store.replace(row, now("again")), false);
		assert.equal(await store.replace({ id: "nobody", sealed: old("1") }, now("1")), false);
		assert.equal(await database.db.stores.derivationRoots.find("a"), now("1"));
	});
});
