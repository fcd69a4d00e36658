// The use of an assertion, its session, and its grant are written together.

import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { it } from "node:test";
import { putGrant } from "../harness/access/applications.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addAssertingCompany, REACHES_COMPANY } from "../harness/openid/assertions.ts";
import { startOpenIdService } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";

const WRITTEN = /\b(?:INSERT INTO|UPDATE) (oauth_\w+|sessions|third_party_accounts)\b/;

interface Executed {
	readonly sql: string;
	readonly database: { location(): string | null };
}

it("redeeming an assertion is one commit, whether it opens, extends, or uses the session, or joins its user", {
	skip: TEST_ENGINE === "postgres" && "counts statements of SQLite",
}, async () => {
	const service = await startOpenIdService({ env: REACHES_COMPANY, pollMs: 60_000 });
	const { company, assertion, redeem, invoices, reader } = await addAssertingCompany(service, {
		email_domains: "any",
	});
	const bob = await addPerson(service, "bob", { email_verified: true });
	await putGrant(service, invoices.id, bob.id, [reader]);
	const asBob = { claims: { sub: "bob@company", email: bob.email, email_verified: true } };
	const session = ["oauth_grants", "oauth_records", "sessions"];
	let seen: string[] = [];
	const note = (message: unknown): void => {
		const { sql, database } = message as Executed;
		if (database.location()?.startsWith(service.dataDir) !== true) return;
		if (sql.includes("database_commits")) seen.push("commit");
		else if (WRITTEN.test(sql)) seen.push(String(WRITTEN.exec(sql)?.[1]));
	};
	diagnostics.subscribe("sqlite.db.query", note);
	try {
		for (const [changes, tables, laterMs] of [
			[undefined, session, 0],
			[undefined, ["oauth_records"], 20_000],
			[undefined, session, 11_000],
			[asBob, [...session, "third_party_accounts"], 0],
		] as const) {
			service.clock.advance(laterMs);
			const sent = await assertion(changes);
			seen = [];
			assert.equal((await redeem(sent)).status, 200);
			// A background job may commit before and after.
			const isWrite = (one: string): boolean => one !== "commit";
			const last = seen.findLastIndex(isWrite);
			const together = seen.slice(seen.findIndex(isWrite), last + 1);
			assert.deepEqual([[...new Set(together)].sort(), seen[last + 1]], [tables, "commit"]);
		}
	} finally {
		diagnostics.unsubscribe("sqlite.db.query", note);
		await company.server.close();
		await service.stop();
	}
});
