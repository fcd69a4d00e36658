// The test of an identity provider by an administrator: document, keys, and a trial sign-in that opens no session.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
	BAD_CLIENT,
	type BadProvider,
	type Misbehavior,
	sendJson,
	startBadProvider,
} from "../harness/providers/bad-provider.ts";
import {
	cookiesOf,
	IDENTITY_PROVIDERS,
	type Jar,
	keepCookies,
	newJar,
	openStage,
	PUBLIC_URL,
	type Stage,
} from "../harness/providers/third-party.ts";

/** What a sign-in could have written. */
const WRITTEN = [
	"users",
	"sessions",
	"third_party_accounts",
	"third_party_aliases",
	"third_party_sign_ins",
	"audit_events",
	"mail_outbox",
];

describe("POST /api/v1/identity-providers/{id}/test", () => {
	let stage: Stage;
	let provider: BadProvider;
	let id: string;
	before(async () => {
		[stage, provider] = await Promise.all([openStage([]), startBadProvider()]);
		const fields = { issuer: provider.issuer, ...BAD_CLIENT, sign_up: true };
		({ id } = await stage.addProvider("corp", fields));
		await stage.service.adminToken();
	});
	beforeEach(() => provider.misbehave());
	after(() => Promise.all([stage.stop(), provider.close()]));

	const pathOf = (providerId: string) => `${IDENTITY_PROVIDERS}/${providerId}` as const;
	const begin = async (jar: Jar = newJar(), providerId = id) => {
		const headers = cookiesOf(jar);
		const response = await stage.service.callAsAdmin("POST", `${pathOf(providerId)}/test`, { headers });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		keepCookies(jar, response);
		return response.body.data;
	};
	/** Runs the whole test. @returns its result, as stored */
	const run = async (change: (callback: URL) => void = () => undefined, providerId = id) => {
		const jar = newJar();
		const { authorization_url: url } = await begin(jar, providerId);
		assert.ok(url !== null);
		const callback = await provider.visit(url);
		change(callback);
		const { status, headers } = await stage.visit(jar, callback);
		assert.deepEqual(
			[status, headers.location],
			[303, `${PUBLIC_URL}/console/providers/${providerId}#tested`],
		);
		return await lastTest(providerId);
	};
	const lastTest = async (providerId = id) => {
		const { last_test, updated_at, created_at } = await stage.service.asAdmin("GET", pathOf(providerId));
		assert.equal(updated_at, created_at, "a test is no change");
		const { at, ...rest } = last_test ?? assert.fail("no result");
		assert.ok(Math.abs(Date.parse(at) - stage.service.clock.now()) < 60_000);
		return rest;
	};
	const rows = async (): Promise<unknown[]> => {
		await using database = await stage.service.openDatabase();
		const counts: unknown[] = [];
		for (const table of WRITTEN)
			counts.push([table, await database.queries.all(`SELECT count(*) AS n FROM ${table}`)]);
		return counts;
	};
	const nothing = { has_email: false, email_verified: false };

	describe("200", () => {
		it("starts a trial sign-in that creates no account, no session, no link, and no event", async () => {
			const before = await rows();
			const jar = newJar();
			const started = await begin(jar);
			assert.deepEqual([started.expires_in, started.last_test], [600, null]);
			const callback = await provider.visit(started.authorization_url ?? "");
			await stage.visit(jar, callback);
			const passed = { step: "sign_in", outcome: "passed", message: "" };
			assert.deepEqual(await lastTest(), { ...passed, has_email: true, email_verified: true });
			assert.deepEqual(await rows(), before);
			assert.equal((await stage.finish(jar)).status, 404);
			// A second use of the callback tests nothing.
			assert.equal((await stage.visit(jar, callback)).status, 400);
		});

		it("reports what the provider sent about the address, and what was left out", async () => {
			provider.misbehave({ person: { email: null } });
			assert.deepEqual(await run(), { step: "sign_in", outcome: "passed", message: "", ...nothing });
			const claims = { email: "ann@example.com", email_verified: false };
			provider.misbehave({ claims, userinfo: (response) => void response.writeHead(403).end() });
			assert.deepEqual(await run(), {
				step: "sign_in",
				outcome: "passed",
				message: "userinfo: unexpected HTTP response status code: 403",
				has_email: true,
				email_verified: false,
			});
		});

		it("reports a failed trial sign-in, which is no failed sign-in", async () => {
			const before = await rows();
			const table: readonly (readonly [Misbehavior, string, RegExp])[] = [
				[
					{ token: (response) => sendJson(response, { error: "invalid_client" }, 401) },
					"misconfigured",
					/invalid_client/,
				],
				[{ token: (response) => void response.writeHead(500).end() }, "unreachable", /status 500/],
				[{ claims: { aud: "another" } }, "invalid_answer", /aud/],
				[{ person: { sub: "bob" } }, "invalid_answer", /sub|attribute/],
			];
			for (const [how, outcome, message] of table) {
				provider.misbehave(how);
				const result = await run();
				assert.deepEqual([result.step, result.outcome], ["sign_in", outcome]);
				assert.match(result.message, message);
			}
			provider.misbehave();
			const denied = await run((callback) => {
				callback.searchParams.delete("code");
				callback.searchParams.set("error", "access_denied");
			});
			assert.equal(denied.outcome, "denied");
			assert.deepEqual(await rows(), before);
			assert.ok(!stage.service.logs().includes(BAD_CLIENT.client_secret));
		});

		it("reports an issuer or keys that are wrong now, although sign-ins have cached them", async () => {
			await run();
			const table: readonly (readonly [Misbehavior, string, string, RegExp])[] = [
				[
					{ document: { issuer: `${provider.issuer}/` } },
					"issuer",
					"misconfigured",
					/^issuer must be https:.*\/, as/,
				],
				[
					{ document: { issuer: "https://10.0.0.1" } },
					"issuer",
					"misconfigured",
					/^issuer is not the issuer/,
				],
				[{ document: { token_endpoint: null } }, "issuer", "misconfigured", /token_endpoint/],
				[{ discovery: (response) => void response.writeHead(503).end() }, "issuer", "unreachable", /503/],
				[
					{ jwks: (response) => void response.writeHead(404).end() },
					"keys",
					"misconfigured",
					/jwks_uri: 404/,
				],
				[{ jwks: (response) => sendJson(response, { keys: [] }) }, "keys", "misconfigured", /no key/],
				[
					{
						jwks: (response) =>
							sendJson(response, { keys: [{ ...provider.key.publicJwk, use: "enc" }, null] }),
					},
					"keys",
					"misconfigured",
					/no key/,
				],
				[
					{ jwks: (response) => void response.writeHead(302, { location: "/" }).end() },
					"keys",
					"invalid_answer",
					/redirect/,
				],
			];
			for (const [how, step, outcome, message] of table) {
				provider.misbehave(how);
				const started = await begin();
				assert.equal(started.authorization_url, null);
				const result = await lastTest();
				assert.deepEqual([result.step, result.outcome], [step, outcome]);
				assert.match(result.message, message);
				assert.deepEqual(started.last_test, { ...result, at: started.last_test?.at });
			}
		});

		it("forgets a failure when what it tested changes, and keeps it otherwise", async () => {
			const fields = { issuer: provider.issuer, ...BAD_CLIENT };
			const { id: changedId } = await stage.addProvider("second", fields);
			const stored = async (patch: object) =>
				(await stage.service.asAdmin("PATCH", pathOf(changedId), patch)).last_test?.outcome;
			provider.misbehave({ jwks: (response) => void response.writeHead(404).end() });
			for (const patch of [{ client_secret: "another" }, { client_id: "another" }]) {
				await begin(newJar(), changedId);
				assert.equal(await stored({ display_name: `Name of ${JSON.stringify(patch)}` }), "misconfigured");
				assert.equal(await stored(patch), undefined);
			}
		});

		it("stores no result of settings that changed during the test", async () => {
			const { id: changedId } = await stage.addProvider("racing", { issuer: provider.issuer, ...BAD_CLIENT });
			const subject_claim = "oid";
			provider.misbehave({
				async jwks(response) {
					stage.service.clock.advance(1_000);
					await stage.service.asAdmin("PATCH", pathOf(changedId), { subject_claim });
					response.writeHead(404).end();
				},
			});
			assert.equal((await begin(newJar(), changedId)).last_test?.outcome, "misconfigured");
			assert.equal((await stage.service.asAdmin("GET", pathOf(changedId))).last_test, null);
			provider.misbehave({ jwks: (response) => void response.writeHead(404).end() });
			await begin(newJar(), changedId);
			const after = await stage.service.asAdmin("PATCH", pathOf(changedId), { subject_claim: "sub" });
			assert.equal(after.last_test, null, "which claim names the person is tested, too");
		});

		it("tests a disabled provider, with which nobody can sign in", async () => {
			const fields = { issuer: provider.issuer, ...BAD_CLIENT, enabled: false };
			const { id: offId } = await stage.addProvider("off", fields);
			assert.equal((await run(undefined, offId)).outcome, "passed");
			const start = { body: { return_to: "/sign-in" } };
			assert.equal(
				(await stage.service.call("POST", "/api/v1/auth/third-party/off/start", start)).status,
				404,
			);
		});
	});

	describe("400", () => {
		it("ends only in the browser of the administrator, which loses nothing to another one", async () => {
			const jar = newJar();
			const callback = await provider.visit((await begin(jar)).authorization_url ?? "");
			for (const other of [newJar(), { cookies: new Map([["__Host-latchkey-browser", "x".repeat(43)]]) }])
				assert.equal((await stage.visit(other, callback)).status, 400);
			assert.equal((await stage.visit(jar, callback)).status, 303);
		});
	});
});
