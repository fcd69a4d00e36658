import assert from "node:assert/strict";
import { test } from "node:test";
import { everyRow } from "../../pages/api/every-row.ts";

/** A list route over `count` rows that claims `total`. */
function listOf(count: number, total = count) {
	const asked: number[] = [];
	const rows = Array.from({ length: count }, (_, index) => index);
	const load = async ({ page, page_size }: { readonly page: number; readonly page_size: number }) => {
		asked.push(page);
		return { data: rows.slice((page - 1) * page_size, page * page_size), total };
	};
	return { asked, rows, load };
}

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
	const read: Row[] = [];
	for await (const row of rows) read.push(row);
	return read;
}

test("every row of a list is read, page by page", async () => {
	for (const [count, pages] of [
		[0, [1]],
		[100, [1]],
		[250, [1, 2, 3]],
	] as const) {
		const { asked, rows, load } = listOf(count);
		assert.deepEqual(await all(everyRow(load)), rows);
		assert.deepEqual(asked, pages);
	}
});

test("reading a list ends if rows disappear meanwhile, and where the reader stops", async () => {
	const shrunk = listOf(100, 300);
	assert.equal((await all(everyRow(shrunk.load))).length, 100);
	assert.deepEqual(shrunk.asked, [1, 2]);
	const stopped = listOf(250);
	for await (const row of everyRow(stopped.load)) if (row === 99) break;
	assert.deepEqual(stopped.asked, [1]);
});
