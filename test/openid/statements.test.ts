import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { addActingClients } from "../harness/openid/acting-clients.ts";
import {
	type AuthorizationRequest,
	completeAuthorization,
	connect,
	exchange,
	openIdService,
	relyingParty,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";

/** What a request of a client reads and writes; background jobs use other tables. */
const WRITTEN = /\b(?:INSERT INTO|UPDATE) (oauth_\w+|sessions)\b/;
const READ = /^SELECT .*?\sFROM (oauth_records|users)\b/s;

interface Executed {
	readonly sql: string;
	readonly database: { location(): string | null };
}

const API = "https://api.example";

describe("statements of the token and introspection endpoints", {
	skip: TEST_ENGINE === "postgres" && "counts those of SQLite",
}, () => {
	const service = openIdService({ pollMs: 60_000 });
	let party: client.Configuration;
	let asApi: client.Configuration;
	let signIn: (parameters?: Record<string, string>) => Promise<readonly [URL, AuthorizationRequest]>;
	before(async () => {
		const api = await connect(service, { resource: API });
		asApi = await relyingParty(service, api);
		const shop = await connect(service, { firstParty: true, allowedResources: [API] });
		party = await relyingParty(service, shop);
		const { username, password } = await addPerson(service, "eve");
		const browser = new TestBrowser(service);
		const session = await browser.signIn(username, password);
		signIn = async (parameters = {}) => {
			const asked = await startAuthorization(party, parameters);
			return [await completeAuthorization(browser, asked.url, session), asked];
		};
	});

	/** The tables that were read and written, without cached rows, and each commit that changed something. */
	async function statementsOf<T>(work: () => Promise<T>): Promise<readonly [readonly string[], T]> {
		const seen: string[] = [];
		const note = (message: unknown): void => {
			const { sql, database } = message as Executed;
			if (database.location()?.startsWith(service.dataDir) !== true) return;
			if (sql.includes("database_commits")) seen.push("commit");
			else if (WRITTEN.test(sql)) seen.push(`write ${WRITTEN.exec(sql)?.[1]}`);
			else if (READ.test(sql)) seen.push(`read ${READ.exec(sql)?.[1]}`);
		};
		diagnostics.subscribe("sqlite.db.query", note);
		try {
			const value = await work();
			return [seen, value];
		} finally {
			diagnostics.unsubscribe("sqlite.db.query", note);
		}
	}

	it("exchanges a code in one commit", async () => {
		const [returned, asked] = await signIn();
		const [statements, tokens] = await statementsOf(() => exchange(party, returned, asked));
		assert.deepEqual(statements, [
			"read oauth_records",
			"write oauth_records",
			"write oauth_records",
			"commit",
		]);
		assert.ok(tokens.refresh_token);
	});

	it("refreshes in one commit", async () => {
		const { refresh_token = "" } = await exchange(party, ...(await signIn()));
		const [statements] = await statementsOf(() => client.refreshTokenGrant(party, refresh_token));
		assert.deepEqual(statements, [
			"read oauth_records",
			"write oauth_records",
			"write oauth_records",
			"write sessions",
			"commit",
		]);
	});

	it("introspects a stored token with one look-up, of whichever kind", async () => {
		const { access_token, refresh_token = "" } = await exchange(party, ...(await signIn()));
		for (const token of [access_token, refresh_token, "unknown"])
			for (const hint of [undefined, "access_token", "refresh_token"]) {
				const more = hint === undefined ? undefined : { token_type_hint: hint };
				const [statements, { active }] = await statementsOf(() =>
					client.tokenIntrospection(party, token, more),
				);
				assert.deepEqual([statements, active], [["read oauth_records"], token !== "unknown"]);
			}
	});

	it("exchanges the token of a person for another from cached rows", async () => {
		const { exchange: send } = await addActingClients(service);
		await send();
		const [statements, { status }] = await statementsOf(() => send());
		assert.deepEqual([statements, status], [[], 200]);
	});

	it("introspects a signed token from cached rows", async () => {
		const [returned, asked] = await signIn({ resource: API });
		const { access_token } = await exchange(party, returned, asked, { resource: API });
		for (const by of [party, asApi]) {
			const [statements, { active }] = await statementsOf(() => client.tokenIntrospection(by, access_token));
			assert.deepEqual([statements, active], [[], true]);
		}
	});
});
