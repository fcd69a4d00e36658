// A misbehaving provider, seen from the page: the browser returns with an error, and nothing is stored.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { UnsecuredJWT } from "jose";
import {
	BAD_CLIENT,
	type BadProvider,
	type Misbehavior,
	sendJson,
	startBadProvider,
} from "../harness/providers/bad-provider.ts";
import { newJar, openStage, outcomeOf, type Stage } from "../harness/providers/third-party.ts";

/** The records that a sign-in could have created. */
const KEPT = ["users", "sessions", "third_party_accounts", "third_party_sign_ins"];

describe("a misbehaving provider, over the wire", () => {
	let stage: Stage;
	let provider: BadProvider;
	let liar: BadProvider;
	before(async () => {
		[stage, provider, liar] = await Promise.all([openStage([]), startBadProvider(), startBadProvider()]);
		await stage.addProvider("corp", { issuer: provider.issuer, ...BAD_CLIENT, sign_up: true });
		await stage.addProvider("second", { issuer: liar.issuer, ...BAD_CLIENT, sign_up: true });
		await stage.service.addUser({
			username: "victim",
			email: "victim@example.com",
			password: "correct horse battery",
		});
	});
	beforeEach(() => {
		provider.misbehave();
		liar.misbehave();
	});
	after(async () => {
		await Promise.all([stage.stop(), provider.close(), liar.close()]);
	});

	const rows = async (): Promise<unknown[]> => {
		await using database = await stage.service.openDatabase();
		const counts: unknown[] = [];
		for (const table of KEPT) counts.push(await database.queries.all(`SELECT count(*) AS n FROM ${table}`));
		return counts;
	};
	/** Follows the redirects of a browser. @returns the outcome of the sign-in */
	const comeBack = async (slug = "corp"): Promise<string> => {
		const jar = newJar();
		const at = slug === "corp" ? provider : liar;
		return outcomeOf(await stage.visit(jar, await at.visit(await stage.start(jar, slug))));
	};
	const refused = async (how: Misbehavior, reason: string, slug = "corp", error = "provider_error") => {
		(slug === "corp" ? provider : liar).misbehave(how);
		const before = await rows();
		assert.equal(await comeBack(slug), `error=${error}`, JSON.stringify(how));
		assert.deepEqual(await rows(), before);
		const { body } = await stage.service.callAsAdmin("GET", "/api/v1/audit-events?page_size=1");
		assert.deepEqual([body.data[0]?.action, body.data[0]?.details.reason], ["user.sign_in_failed", reason]);
	};

	it("is admitted without misbehavior, so the refusals below have one cause", async () => {
		assert.equal(await comeBack(), "finish");
		assert.equal(await comeBack("second"), "finish");
	});

	it("sends invalid tokens", async () => {
		for (const claims of [
			{ nonce: undefined },
			{ nonce: "another" },
			{ iss: "https://evil.example" },
			{ aud: "another" },
			{ exp: 1 },
			{ sub: "" },
		])
			await refused({ claims }, "provider_error: invalid_answer");
		const sign: Misbehavior["sign"] = async (claims) => new UnsecuredJWT(claims).encode();
		await refused({ sign }, "provider_error: invalid_answer");
		await refused({ kid: "unknown" }, "provider_error: invalid_answer");
		await refused({ person: { sub: "somebody-else" } }, "provider_error: invalid_answer");
	});

	it("sends invalid responses", async () => {
		await refused({ token: (response) => void response.writeHead(500).end() }, "provider_error: unreachable");
		await refused(
			{ token: (response) => void response.writeHead(302, { location: `${liar.issuer}/token` }).end() },
			"provider_error: invalid_answer",
		);
		assert.deepEqual(liar.received, []);
		await refused(
			{ userinfo: (response) => sendJson(response, { sub: "ann", filler: "x".repeat(10_000_000) }) },
			"provider_error: invalid_answer",
		);
		await refused(
			{ token: (response) => sendJson(response, { error: "invalid_client" }, 401) },
			"provider_error: misconfigured",
		);
	});

	it("never responds", () => refused({ token: () => undefined }, "provider_error: unreachable"));

	it("fails to describe the user, whom its ID token describes", async () => {
		const claims = { sub: "tv", email: "tv@example.com", email_verified: true };
		provider.misbehave({ claims, userinfo: (response) => void response.writeHead(403).end() });
		assert.equal(await comeBack(), "finish");
		assert.match(
			stage.service.logs(),
			/"error":"userinfo: unexpected HTTP response status code: 403","msg":"part of a provider's response left out"/,
		);
	});

	it("verifies the address of its ID token in userinfo only", async () => {
		const claims = { sub: "radio", email: "radio@example.com" };
		provider.misbehave({ claims, person: { ...claims, email_verified: true } });
		assert.equal(await comeBack(), "finish");
		const { body } = await stage.service.callAsAdmin("GET", "/api/v1/users?q=radio%40example.com");
		assert.deepEqual([body.total, body.data[0]?.email_verified], [1, true]);
	});

	it("names an unverified address that an account has here", () =>
		refused(
			{
				claims: { sub: "mallory" },
				person: { sub: "mallory", email: "victim@example.com", email_verified: false },
			},
			"account_exists",
			"corp",
			"account_exists",
		));

	it("leaves nothing secret in the log", () => {
		const logs = stage.service.logs();
		assert.match(logs, /provider failed/);
		for (const secret of [BAD_CLIENT.client_secret, "the access token", "eyJ"])
			assert.ok(!logs.includes(secret), secret);
	});
});
