// Pages far back, which are read from the end of the list.

import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { Filter, listPage } from "./page.ts";

const ROWS = 2_503;
const TENANT = "pages";
/** One creation time for three users, so that ids decide. */
const FILL = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
	INSERT INTO rows_of_pages (id, tenant_id, created_at) SELECT 'id-' || (i * 7919 % 2503), '${TENANT}', i / 3 FROM n`;
const ORDERS = {
	"newest first": "created_at DESC, id DESC",
	"oldest first": "created_at ASC, id ASC",
	"by an expression": "COALESCE(NULLIF(created_at, 5), 9000) DESC, id ASC",
};

interface Row {
	readonly id: string;
}

onEachEngine("a list of more than 2,000 rows", (database) => {
	before(async () => {
		await database.engine.queries.run(
			"CREATE TABLE rows_of_pages (id TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, created_at BIGINT NOT NULL)",
		);
		await database.engine.queries.run(FILL);
	});

	const list = (order: string, page: number, pageSize: number, hasTotal: boolean) =>
		listPage<Row, string>(
			database.engine.queries,
			{
				columns: "id",
				from: "rows_of_pages",
				order,
				filter: new Filter().add("tenant_id = ?", TENANT),
				total: hasTotal ? { sql: "SELECT count(*) AS total FROM rows_of_pages", parameters: [] } : undefined,
			},
			{ page, pageSize },
			({ id }) => id,
		);

	for (const [title, order] of Object.entries(ORDERS))
		for (const hasTotal of [true, false])
			it(`has every row once on its pages, ${title}${hasTotal ? ", with a kept total" : ""}`, async () => {
				const expected = await database.engine.queries.all<Row>(
					`SELECT id FROM rows_of_pages ORDER BY ${order}`,
				);
				const found: string[] = [];
				for (let page = 1; page <= Math.ceil(ROWS / 97); page++) {
					const { items, total } = await list(order, page, 97, hasTotal);
					assert.equal(total, ROWS);
					found.push(...items);
				}
				assert.deepEqual(
					found,
					expected.map(({ id }) => id),
				);
			});

	it("has empty pages past its end", async () => {
		for (const page of [27, 28, 1_000_000_000])
			assert.deepEqual(await list(ORDERS["newest first"], page, 97, true), { items: [], total: ROWS });
	});
});
