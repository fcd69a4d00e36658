// The embedded database caches the rows that authorize requests. After any store call, the cache equals the file.

import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, it } from "node:test";
import { migrate } from "../../src/adapters/migrations/migrate.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import type { Db, Stores } from "../../src/domain/stores.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { CALLS } from "./calls.ts";
import { explainedStores, fillTables } from "./explained-database.ts";
import { APP, CLIENT, NOW, TENANT, USER } from "./filled-rows.ts";

/** A time at which the sessions of the filled tables have not expired. */
const EARLY = 1;
/** The application of `api_clients-7` and of `application_roles-7`. */
const OTHER_APP = "applications-7";
/** A membership in a group that has access, and a role in the other application. */
const GRANT_MORE = [
	`INSERT INTO group_members (tenant_id, group_id, user_id, added_at)
		SELECT tenant_id, group_id, '${USER}', 1 FROM group_grants WHERE id = 'group_grants-7'`,
	`INSERT INTO grants (id, tenant_id, app_id, user_id, created_at, updated_at) VALUES ('more', '${TENANT}', '${OTHER_APP}', '${USER}', 1, 1)`,
	`INSERT INTO grant_roles (tenant_id, grant_id, role_id) VALUES ('${TENANT}', 'more', 'application_roles-7')`,
	`INSERT INTO client_grants (id, tenant_id, app_id, client_id, created_at, updated_at) VALUES ('more', '${TENANT}', '${OTHER_APP}', '${CLIENT}', 1, 1)`,
];
/** What a command may do while the service runs. */
const CHANGES = [
	`DELETE FROM sessions WHERE id = 'sessions-7'`,
	`UPDATE users SET status = 'disabled' WHERE id = '${USER}'`,
	`DELETE FROM users WHERE id = '${USER}'`,
	"UPDATE api_clients SET status = 'revoked'",
	`UPDATE applications SET status = 'disabled' WHERE id = '${APP}'`,
	`DELETE FROM grants WHERE user_id = '${USER}'`,
	"UPDATE application_roles SET name = name || '-renamed'",
	"DELETE FROM group_members",
	"UPDATE user_groups SET name = name || '-renamed'",
	"DELETE FROM group_grants",
	"DELETE FROM oauth_grants",
	"DELETE FROM client_grants",
	"DELETE FROM gates",
	"DELETE FROM resource_names",
	"UPDATE tenants SET require_mfa = (require_mfa <> 1)",
];
/** Every store method that changes cached rows. */
const CHANGING = [
	"apiClients.remove",
	"apiClients.replaceSecret",
	"apiClients.update",
	"applicationRoles.remove",
	"applicationRoles.update",
	"applications.remove",
	"applications.update",
	"directoryPeople.leaveGroups",
	"directoryPeople.removeMembers",
	"dormancy.disable",
	"gates.remove",
	"gates.setKey",
	"grants.put",
	"grants.remove",
	"grants.removeOwn",
	"groups.putMember",
	"groups.remove",
	"groups.removeMember",
	"groups.update",
	"oauthClients.remove",
	"oauthClients.replace",
	"oauthClients.setSecret",
	"oauthClients.update",
	"oauthGrants.end",
	"oauthGrants.purge",
	"sessions.end",
	"sessions.endAll",
	"sessions.endOfApplication",
	"sessions.purgeExpired",
	"sessions.rotate",
	"users.noteSignIn",
	"users.remove",
	"users.replacePassword",
	"users.update",
];

/** Frequent calls of signed requests and background recorders: they must not invalidate the cache. */
const LEAVING = [
	"adminKeys.noteUse",
	"allowlistMisses.add",
	"apiClients.noteUse",
	"applications.noteSignIns",
	"nonces.claim",
	"refusals.add",
	"statistics.add",
	"statistics.observe",
];

describe("cached rows of the embedded database", () => {
	const folder = lastingFolder();
	const filled = join(folder, "filled.db");
	const changing = new Set<string>();
	const leaving = new Set<string>(LEAVING);
	let engine: Engine;
	let db: Db;
	let file: string;
	let copies = 0;
	/** Whether the last change kept the cache. */
	let isLeft = false;

	before(async () => {
		const first = openSqlite(filled);
		await migrate(first, NOW);
		await fillTables(first);
		for (const statement of GRANT_MORE) await first.queries.run(statement);
		await first.close();
	});

	async function withCopy(work: () => Promise<void>): Promise<void> {
		file = join(folder, `copy-${copies++}.db`);
		copyFileSync(filled, file);
		engine = openSqlite(file);
		db = explainedStores(engine, () => Promise.resolve());
		try {
			await work();
		} finally {
			await engine.close();
			rmSync(file);
		}
	}

	/** Every cached row as requests read it: from the cache outside a transaction, from the file inside one. */
	const read = ({
		sessions,
		signingClients,
		accessFacts,
		gates,
		oauthClients,
		oauthGrants,
		secondFactors,
		users,
	}: Stores): Promise<unknown> =>
		Promise.all([
			sessions.findSignedIn("sessions-7", EARLY),
			sessions.findById("sessions-7"),
			signingClients.findByApiKey("api_key-7"),
			accessFacts.load(TENANT, USER, APP),
			accessFacts.load(TENANT, USER, OTHER_APP),
			accessFacts.loadOfCaller(TENANT, { kind: "api_client", id: CLIENT }, OTHER_APP),
			accessFacts.loadOfCaller(TENANT, { kind: "program", id: APP }, OTHER_APP),
			gates.findAsked(APP),
			oauthClients.findByResource(TENANT, "resource-0"),
			oauthGrants.findLive("oauth_grants-7", EARLY),
			secondFactors.isRequired(TENANT, null),
			users.findById(TENANT, USER),
		]);

	/** The frozen row itself. */
	const cachedRow = (): Promise<unknown> => db.stores.signingClients.findByApiKey("api_key-7");

	/** Fills the cache, commits `change`, and compares. @returns whether a cached row changed */
	async function hasChanged(change: () => unknown): Promise<boolean> {
		const earlier = await read(db.stores);
		const row = await cachedRow();
		await change();
		isLeft = (await cachedRow()) === row;
		const cached = await read(db.stores);
		assert.deepEqual(cached, await db.transaction(read));
		return JSON.stringify(earlier) !== JSON.stringify(cached);
	}

	for (const [store, methods] of Object.entries(CALLS))
		it(`match the file after each call of ${store}`, async () => {
			for (const [method, calls] of Object.entries<(typeof CALLS)["users"]["list"]>(methods))
				for (const parameters of calls)
					await withCopy(async () => {
						const call = async (stores: Stores): Promise<void> => {
							const found = stores[store as keyof Stores] as unknown as Record<
								string,
								(...values: readonly unknown[]) => unknown
							>;
							await found[method]?.(...parameters);
						};
						const isAlone = store === "nonces" && method !== "purge";
						if (await hasChanged(() => (isAlone ? call(db.stores) : db.transaction(call))))
							changing.add(`${store}.${method}`);
						if (!isLeft) leaving.delete(`${store}.${method}`);
					});
		});

	it("are discarded by these calls", () => {
		assert.deepEqual([...changing].sort(), CHANGING);
	});

	it("are kept by these calls", () => {
		assert.deepEqual([...leaving], LEAVING);
	});

	for (const change of CHANGES)
		it(`match the file after another process ran ${change}`, () =>
			withCopy(async () => {
				const other = new DatabaseSync(file);
				other.exec("PRAGMA foreign_keys = ON");
				assert.ok(await hasChanged(() => other.exec(change)));
				other.close();
			}));
});
