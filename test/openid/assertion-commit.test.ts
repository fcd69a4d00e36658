// The use of an assertion, its session, and its grant are written together.

import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { it } from "node:test";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addAssertingCompany, REACHES_COMPANY } from "../harness/openid/assertions.ts";
import { startOpenIdService } from "../harness/openid/openid.ts";

const WRITTEN = /\b(?:INSERT INTO|UPDATE) (oauth_\w+|sessions)\b/;

interface Executed {
	readonly sql: string;
	readonly database: { location(): string | null };
}

it("redeeming an assertion is one commit, whether it opens or extends the session", {
	skip: TEST_ENGINE === "postgres" && "counts statements of SQLite",
}, async () => {
	const service = await startOpenIdService({ env: REACHES_COMPANY });
	const { company, assertion, redeem } = await addAssertingCompany(service);
	let seen: string[] = [];
	const note = (message: unknown): void => {
		const { sql, database } = message as Executed;
		if (database.location()?.startsWith(service.dataDir) !== true) return;
		if (sql.includes("database_commits")) seen.push("commit");
		else if (WRITTEN.test(sql)) seen.push(String(WRITTEN.exec(sql)?.[1]));
	};
	diagnostics.subscribe("sqlite.db.query", note);
	try {
		for (let count = 0; count < 2; count++) {
			const sent = await assertion();
			seen = [];
			assert.equal((await redeem(sent)).status, 200);
			// A background job may commit before and after.
			const isWrite = (one: string): boolean => one !== "commit";
			const last = seen.findLastIndex(isWrite);
			const together = seen.slice(seen.findIndex(isWrite), last + 1);
			assert.deepEqual(
				[[...new Set(together)].sort(), seen[last + 1]],
				[["oauth_grants", "oauth_records", "sessions"], "commit"],
			);
		}
	} finally {
		diagnostics.unsubscribe("sqlite.db.query", note);
		await company.server.close();
		await service.stop();
	}
});
