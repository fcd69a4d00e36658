import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import type { Answer } from "../../harness/service.ts";
import { newJar, openStage, parametersOf, type Stage, THIRD_PARTY } from "../../harness/third-party.ts";

const COOKIE = "__Host-latchkey-browser";

describe("GET /api/v1/auth/third-party/{provider}/begin", () => {
	let stage: Stage;
	let ada: Person;
	before(async () => {
		stage = await openStage([{ sub: "one" }, { sub: "two" }, { sub: "three" }]);
		await stage.addProvider("open", { sign_up: true, display_name: `<b>"Corp" & Co</b>` });
		await stage.addProvider("closed");
		ada = await addPerson(stage.service, "ada");
	});
	after(() => stage?.stop());

	const whereTo = (answer: Answer): URL => {
		assert.equal(answer.status, 303, JSON.stringify(answer.body));
		return new URL(String(answer.headers.location));
	};

	describe("303", () => {
		it("marks the browser and redirects to the provider with state, nonce and PKCE", async () => {
			const jar = newJar();
			const answer = await stage.visit(jar, await stage.start("open"));
			const cookie = String(answer.headers["set-cookie"]);
			assert.match(
				cookie,
				/^__Host-latchkey-browser=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
			);
			assert.deepEqual(
				[answer.headers["referrer-policy"], answer.headers["cache-control"]],
				["no-referrer", "no-store"],
			);
			const url = whereTo(answer);
			assert.equal(url.origin, stage.provider.issuer);
			const { state, nonce, code_challenge, code_challenge_method, response_type, redirect_uri } =
				Object.fromEntries(url.searchParams);
			for (const random of [state, nonce, code_challenge])
				assert.match(String(random), /^[A-Za-z0-9_-]{43}$/);
			assert.equal(new Set([state, nonce, code_challenge, cookie.slice(24, 67)]).size, 4);
			assert.deepEqual([code_challenge_method, response_type], ["S256", "code"]);
			assert.equal(redirect_uri, `https://id.latchkey.example${THIRD_PARTY}/open/callback`);
		});

		it("accepts a second visit of a browser: only the last one counts", async () => {
			const jar = newJar();
			const start = await stage.start("open");
			const first = await stage.goThrough(jar, start, "one");
			const second = await stage.goThrough(jar, start, "one");
			assert.equal((await stage.visit(jar, first)).status, 400);
			assert.ok(parametersOf(await stage.visit(jar, second)).has("ticket"));
			// What has ended does not begin again.
			assert.equal((await stage.visit(jar, start)).status, 400);
		});

		it("keeps the cookie of a browser that has several sign-ins under way, and makes up for a broken one", async () => {
			const jar = newJar();
			const callbacks = [];
			for (const sub of ["one", "two"])
				callbacks.push(await stage.goThrough(jar, await stage.start("open"), sub));
			assert.equal(jar.cookies.size, 1);
			for (const callback of callbacks)
				assert.ok(parametersOf(await stage.visit(jar, callback)).has("ticket"));
			jar.cookies.set(COOKIE, "broken");
			await stage.visit(jar, await stage.start("open"));
			assert.match(String(jar.cookies.get(COOKIE)), /^[A-Za-z0-9_-]{43}$/);
		});

		it("comes back with provider_error when the provider cannot be reached", async () => {
			const patch = { issuer: "https://127.0.0.1:9" };
			await stage.addProvider("off", patch);
			const jar = newJar();
			const start = await stage.start("off");
			const answer = await stage.visit(jar, start);
			assert.equal(parametersOf(answer).get("error"), "provider_error");
			assert.equal((await stage.visit(jar, start)).status, 400);
			assert.match(stage.service.logs(), /provider failed/);
		});

		it("links at once in the browser that started, recognised by its cookie", async () => {
			const back = await stage.comeBack("open", "three", { linkTo: ada });
			assert.ok(back.has("ticket"));
		});
	});

	describe("200", () => {
		it("requires a confirmation in a browser that did not start, and only from that browser", async () => {
			const start = await stage.start("closed", {}, ada);
			const [victim, other] = [newJar(), newJar()];
			const page = await stage.visit(victim, start);
			assert.equal(page.status, 200);
			assert.match(String(page.headers["content-type"]), /^text\/html/);
			assert.match(
				String(page.headers["content-security-policy"]),
				/default-src 'none'.*frame-ancestors 'none'/,
			);
			assert.match(String(page.body), /linked to the account ada here/);
			const href = String(/href="(\/api[^"]*)"/.exec(String(page.body))?.[1]).replaceAll("&amp;", "&");
			assert.equal((await stage.visit(other, start)).status, 200);
			assert.equal((await stage.visit(other, href)).status, 200);
			assert.equal((await stage.visit(victim, `${start}&confirm=yes`)).status, 200);
			const callback = await stage.goThrough(victim, href, "one");
			assert.ok(parametersOf(await stage.visit(victim, callback)).has("ticket"));
		});

		it("shows names as text", async () => {
			const page = await stage.visit(newJar(), await stage.start("open", {}, ada));
			assert.match(String(page.body), /Your account at &lt;b&gt;&quot;Corp&quot; &amp; Co&lt;\/b&gt;/);
			assert.doesNotMatch(String(page.body), /<b>/);
		});
	});

	describe("400", () => {
		it("refuses a second browser, and a late, misdirected, forged or missing state", async () => {
			const jar = newJar();
			const start = await stage.start("open");
			await stage.visit(jar, start);
			assert.equal((await stage.visit(newJar(), start)).status, 400);
			assert.equal((await stage.visit(jar, start.replace("/open/", "/closed/"))).status, 400);
			for (const query of [
				"",
				"?attempt=",
				"?attempt=none",
				`?attempt=${"x".repeat(200)}`,
				"?attempt=a&attempt=b",
			])
				assert.equal((await stage.visit(jar, `${THIRD_PARTY}/open/begin${query}`)).status, 400, query);
			stage.service.clock.advance(601_000);
			const late = await stage.visit(jar, start);
			assert.equal(late.status, 400);
			assert.match(String(late.body), /<h1>Bad Request<\/h1>/);
		});
	});

	describe("404", () => {
		it("refuses a provider of a malformed name", async () => {
			const { status } = await stage.visit(newJar(), `${THIRD_PARTY}/-/begin?attempt=x`);
			assert.equal(status, 404);
		});
	});
});
