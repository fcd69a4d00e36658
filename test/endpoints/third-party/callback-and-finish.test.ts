// The return from a third-party sign-in: the provider's callback, and the end of the sign-in in the same browser.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { mailedToken } from "../../harness/access/access-requests.ts";
import { addPerson, auditOf, isAlive, signInAgain } from "../../harness/people/people.ts";
import { addPersonWithTotp, MFA, nextCode } from "../../harness/people/second-factors.ts";
import { signInAtProvider } from "../../harness/providers/oidc-provider.ts";
import {
	IDENTITY_PROVIDERS,
	type Jar,
	LINKS,
	newJar,
	openStage,
	outcomeOf,
	PUBLIC_URL,
	RETURN_TO,
	type Stage,
	THIRD_PARTY,
} from "../../harness/providers/third-party.ts";
import { fixture, setup } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const FORM = "application/x-www-form-urlencoded";
const USERS = [
	...["one", "two", "three", "four", "five", "six", "seven"].map((sub) => ({ sub })),
	{
		sub: "ada-1",
		email: "Ada@People.Example",
		email_verified: true,
		name: "Ada Lovelace",
		preferred_username: "Ada",
	},
	{ sub: "ada-2", email: "second@people.example", email_verified: true, preferred_username: "ADA" },
	{ sub: "eve", email: "victim@people.example", email_verified: false, name: "Eve" },
	{ sub: "victim", email: "victim@people.example", email_verified: true },
	{ sub: "lax", email: "lax@people.example", email_verified: true },
	{
		sub: "unproved",
		email: "unproved@people.example",
		email_verified: false,
		preferred_username: "unproved",
	},
	{ sub: "root", email: "root@people.example", email_verified: true },
	{ sub: "nameless" },
	{
		sub: "fullwidth",
		email: "ｖictim@people.example",
		email_verified: true,
		preferred_username: "ｆｕｌｌ ｗｉｄｔｈ",
	},
	...[
		"race",
		"gone",
		"mover",
		"linked",
		"taken",
		"ended",
		"twice",
		"again",
		"assigned",
		"stranger",
		"invited",
	].map((sub) => ({
		sub,
		email: `${sub}@provider.example`,
		email_verified: true,
		preferred_username: sub,
	})),
];

const stage = fixture(() => openStage(USERS));
setup(async () => {
	await stage.addProvider("open", { sign_up: true });
	await stage.addProvider("closed");
});
after(() => stage?.stop());

describe("GET /api/v1/auth/third-party/{provider}/callback", () => {
	const userOf = (response: Awaited<ReturnType<Stage["finish"]>>) => response.body.data.user;
	const accountsOf = async (token: string) => (await stage.service.call("GET", LINKS, { token })).body;
	const errorOf = async (...args: Parameters<Stage["comeBack"]>): Promise<string> => {
		const [name, code = ""] = (await stage.comeBack(...args)).split("=");
		assert.equal(name, "error");
		return code;
	};
	const newUsers = async (q: string): Promise<number> => {
		return (await stage.service.callAsAdmin("GET", `/api/v1/users?q=${q}`)).body.total;
	};

	describe("303", () => {
		it("creates an account at the first sign-in, and finds it at the next", async () => {
			const first = userOf(await stage.signIn("open", "ada-1"));
			for (const password of ["", " ", "a password never set"]) {
				const body = { username: first.username, password };
				const login = await stage.service.call("POST", "/api/v1/auth/login", { body });
				assert.equal(login.status, password === "" ? 400 : 401);
			}
			assert.deepEqual(
				[first.username, first.email, first.email_verified, first.display_name],
				["ada", "ada@people.example", true, "Ada Lovelace"],
			);
			const response = await stage.signIn("open", "ada-1");
			assert.equal(userOf(response).id, first.id);
			const { data } = await accountsOf(response.body.data.access_token);
			assert.deepEqual(
				data.map((one) => [one.provider, one.provider_user_id]),
				[["open", "ada-1"]],
			);
			const events = await auditOf(stage.service, `user:${first.id}`);
			assert.deepEqual(
				events
					.filter(({ action }) => action !== "user.sign_in_failed")
					.map(({ action, details }) => [action, details.provider, details.how]),
				[
					["user.registered", "open", undefined],
					["third_party_account.linked", "open", "with a new account"],
					["user.signed_in", undefined, undefined],
					["user.signed_in", undefined, undefined],
				],
			);
		});

		it("finds a free username", async () => {
			await stage.signIn("open", "ada-1");
			const { username } = userOf(await stage.signIn("open", "ada-2"));
			assert.match(username, /^ada-[0-9]{4}$/);
		});

		it("assigns a placeholder address if the provider returns none, or a look-alike", async () => {
			const nameless = userOf(await stage.signIn("open", "nameless"));
			assert.equal(nameless.email, `${nameless.id}@no-address.invalid`);
			assert.deepEqual([nameless.username, nameless.email_verified], ["user", false]);
			await stage.service.call("POST", "/api/v1/auth/password/forgot", { body: { email: nameless.email } });
			await using engine = await stage.service.openDatabase();
			const last = "SELECT status, payload_sealed FROM mail_outbox ORDER BY id DESC LIMIT 1";
			const mail = await engine.queries.one<{ status: string; payload_sealed: string }>(last);
			assert.deepEqual([mail?.status, mail?.payload_sealed], ["dropped", ""]);
			await addPerson(stage.service, "victim", { email_verified: true });
			const lookalike = userOf(await stage.signIn("open", "fullwidth"));
			assert.equal(lookalike.email, `${lookalike.id}@no-address.invalid`);
			assert.equal(lookalike.username, "full-width");
		});

		it("joins an account by email address only when both sides have verified it", async () => {
			const people = await Promise.all([
				addPerson(stage.service, "lax", { email_verified: true }),
				addPerson(stage.service, "unproved", { email_verified: true }),
			]);
			const [lax, unproved] = people.map(({ id }) => id);
			assert.equal(userOf(await stage.signIn("closed", "lax")).id, lax);
			const mails = await stage.service.mailsTo("lax@people.example");
			assert.ok(mails.some(({ subject }) => subject === "An account at closed was linked"));
			// The email address is unverified: with sign-up disabled, the response does not reveal the account.
			assert.equal(await errorOf("closed", "unproved"), "sign_up_not_allowed");
			assert.equal(await errorOf("open", "unproved"), "account_exists");
			assert.equal((await accountsOf((people[1] as { token: string }).token)).total, 0);
			await stage.service.asAdmin("PATCH", `/api/v1/users/${unproved}`, { email_verified: false });
			assert.equal(await errorOf("open", "unproved"), "account_exists");
			assert.equal(await errorOf("open", "eve"), "account_exists");
		});

		it("does not join an account with an unverified address", async () => {
			const mover = await addPerson(stage.service, "mover", { email: "mover@provider.example" });
			assert.equal(await errorOf("open", "mover"), "account_exists");
			assert.equal((await accountsOf(mover.token)).total, 0);
		});

		it("never joins a platform admin", async () => {
			const root = await addPerson(stage.service, "root", {
				roles: ["platform_admin"],
				email_verified: true,
			});
			assert.equal(await errorOf("open", "root"), "account_exists");
			assert.equal((await accountsOf(root.token)).total, 0);
		});

		it("does not join an invited user, who signs in by a linked account after the invitation", async () => {
			const { service } = stage;
			const email = "invited@provider.example";
			const guest = { username: "guest", email, email_verified: true, invite: true };
			const { id } = await service.asAdmin("POST", "/api/v1/users", guest);
			assert.equal(await errorOf("open", "invited"), "account_exists");
			const body = { provider: "open", provider_user_id: "invited" };
			const linked = await service.callAsAdmin("POST", `/api/v1/users/${id}/third-party-accounts`, { body });
			assert.equal(linked.status, 201);
			assert.equal(await errorOf("open", "invited"), "account_disabled");
			const link = await mailedToken(service, email, "invite");
			const accepted = await service.call("POST", "/api/v1/auth/invite/accept", { body: { token: link } });
			assert.equal(accepted.status, 200);
			assert.equal(userOf(await stage.signIn("open", "invited")).id, id);
		});

		it("creates no account if sign-up is disabled", async () => {
			assert.equal(await errorOf("closed", "stranger"), "sign_up_not_allowed");
			assert.equal(await newUsers("stranger"), 0);
		});

		it("creates one account for concurrent callbacks of one identity", async () => {
			const jars = Array.from({ length: 5 }, newJar);
			const callbacks = await Promise.all(jars.map((jar) => stage.depart(jar, "open", "race")));
			await Promise.all(jars.map((jar, index) => stage.visit(jar, callbacks[index] as URL)));
			const responses = await Promise.all(jars.map((jar) => stage.finish(jar)));
			assert.equal(new Set(responses.map((response) => userOf(response).id)).size, 1);
			assert.equal(await newUsers("race"), 1);
		});

		it("returns the cause to the page", async () => {
			assert.equal(await errorOf("open", null), "access_denied");
			const { id } = userOf(await stage.signIn("open", "gone"));
			await stage.service.asAdmin("PATCH", `/api/v1/users/${id}`, { status: "disabled" });
			assert.equal(await errorOf("open", "gone"), "account_disabled");
			const events = await auditOf(stage.service, `user:${id}`);
			assert.deepEqual(events.at(-1)?.details, { reason: "account_disabled", provider: "open" });
		});

		it("links to the user who started, once, and not after sign-out", async () => {
			const [linda, tom, ann] = await Promise.all(
				["linda", "tom", "ann"].map((name) => addPerson(stage.service, name)),
			);
			assert.ok(linda && tom && ann);
			const { token } = linda;
			const jar = newJar();
			assert.equal(await stage.comeBack("closed", "linked", { linkTo: linda, jar }), "linked");
			assert.equal((await accountsOf(token)).total, 1);
			// A link signs no user in.
			assert.equal((await stage.finish(jar)).status, 404);
			// A second link changes nothing; another user cannot take the identity.
			assert.equal(await stage.comeBack("closed", "linked", { linkTo: linda }), "linked");
			assert.equal((await accountsOf(token)).total, 1);
			assert.equal(await errorOf("closed", "linked", { linkTo: tom }), "link_taken");
			assert.equal((await accountsOf(tom.token)).total, 0);
			const ended = { ...ann, token: await signInAgain(stage.service, ann) };
			const late = newJar();
			const callback = await stage.depart(late, "closed", "ended", { linkTo: ended });
			await stage.service.call("POST", "/api/v1/auth/logout", { token: ended.token });
			assert.equal(outcomeOf(await stage.visit(late, callback)), "error=session_ended");
			assert.equal((await accountsOf(ann.token)).total, 0);
		});

		it("links nothing in a browser that did not start the link", async () => {
			const eve = await addPerson(stage.service, "eve-links");
			const url = await stage.start(newJar(), "closed", { linkTo: eve });
			const victim = newJar();
			await stage.start(victim, "closed");
			const callback = await signInAtProvider(url, "again");
			for (const jar of [newJar(), victim]) assert.equal((await stage.visit(jar, callback)).status, 400);
			assert.equal((await accountsOf(eve.token)).total, 0);
		});

		it("returns to the page that started, with the outcome in the fragment", async () => {
			for (const [returnTo, page] of [
				[RETURN_TO, RETURN_TO],
				["/sign-in", "/sign-in"],
				["/account/security?x", `/sign-in?return_to=${encodeURIComponent("/account/security?x")}`],
			] as const) {
				const jar = newJar();
				const response = await stage.visit(jar, await stage.depart(jar, "open", "ada-1", { returnTo }));
				assert.equal(response.headers.location, `${PUBLIC_URL}${page}#finish`);
			}
		});

		it("sends neither state nor code on to the page", async () => {
			const jar = newJar();
			const callback = await stage.depart(jar, "open", "ada-1");
			const response = await stage.visit(jar, callback);
			assert.equal(response.headers["referrer-policy"], "no-referrer");
			assert.equal(response.headers["cache-control"], "no-store");
			assert.doesNotMatch(String(response.headers.location), /code=|state=/);
		});
	});

	describe("400", () => {
		const isRefused = async (response: CallResponse): Promise<void> => {
			assert.equal(response.status, 400);
			assert.match(String(response.headers["content-type"]), /^text\/html/);
			assert.match(String(response.body), /began in another browser/);
			assert.equal(response.headers.location, undefined);
		};

		it("refuses another browser's state, with or without a cookie, and consumes nothing", async () => {
			const jar = newJar();
			const callback = await stage.depart(jar, "open", "again");
			await isRefused(await stage.visit(newJar(), callback));
			const other = newJar();
			await stage.start(other, "open");
			await isRefused(await stage.visit(other, callback));
			assert.equal(outcomeOf(await stage.visit(jar, callback)), "finish");
		});

		it("accepts one of five concurrent uses of a callback", async () => {
			const jar = newJar();
			const callback = await stage.depart(jar, "open", "twice");
			const responses = await Promise.all(Array.from({ length: 5 }, () => stage.visit(jar, callback)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [303, 400, 400, 400, 400]);
			await isRefused(await stage.visit(jar, callback));
		});

		it("refuses a callback that is late, at the path of another provider, or invented", async () => {
			const jar = newJar();
			const callback = await stage.depart(jar, "open", "ada-1");
			await isRefused(await stage.visit(jar, String(callback).replace("/open/", "/closed/")));
			for (const query of ["", "?state=", "?state=none&code=1", "?code=1"])
				await isRefused(await stage.visit(jar, `${THIRD_PARTY}/open/callback${query}`));
			const late = await stage.depart(jar, "open", "ada-1");
			stage.service.clock.advance(601_000);
			await isRefused(await stage.visit(jar, late));
		});

		it("refuses a provider that was disabled", async () => {
			const { id } = await stage.addProvider("off");
			const jar = newJar();
			const callback = await stage.depart(jar, "off", "ada-1");
			const body = { enabled: false };
			await stage.service.asAdmin("PATCH", `/api/v1/identity-providers/${id}`, body);
			await isRefused(await stage.visit(jar, callback));
		});

		it("returns problem details to API clients", async () => {
			const headers = { accept: "application/problem+json" };
			const response = await stage.visit(newJar(), `${THIRD_PARTY}/open/callback?state=none`, headers);
			assert.deepEqual([response.status, response.body.code], [400, "third_party_attempt.invalid"]);
		});
	});
});

describe("POST /api/v1/auth/third-party/{provider}/callback", () => {
	const post = (body: string, contentType = FORM, slug = "open"): Promise<CallResponse> =>
		stage.service.call("POST", `${THIRD_PARTY}/${slug}/callback`, {
			https: true,
			body: Buffer.from(body),
			headers: { "content-type": contentType },
		});

	describe("303", () => {
		it("redirects to the GET callback with the relevant fields of the form", async () => {
			const jar = newJar();
			const callback = await stage.depart(jar, "open", "one");
			const response = await post(
				`${callback.searchParams}&id_token=x&user=%7B%7D`,
				`${FORM}; charset=UTF-8`,
			);
			assert.equal(response.status, 303);
			const next = new URL(String(response.headers.location));
			assert.equal(next.origin + next.pathname, `${PUBLIC_URL}${THIRD_PARTY}/open/callback`);
			const { state, code, iss } = Object.fromEntries(callback.searchParams);
			assert.deepEqual(Object.fromEntries(next.searchParams), { state, code, iss, user: "{}" });
			assert.equal((await stage.visit(newJar(), next)).status, 400);
			assert.equal(outcomeOf(await stage.visit(jar, next)), "finish");
		});

		it("stays on this service with any form content", async () => {
			const response = await post("state=%0d%0aLocation:%20https://evil.example&error=https://evil.example");
			assert.equal(new URL(String(response.headers.location)).origin, PUBLIC_URL);
		});
	});

	describe("400", () => {
		it("refuses bodies that are not forms, repeat a field, or are too large", async () => {
			assert.equal((await post("state=1&code=2", "text/plain")).status, 400);
			assert.equal((await post('{"state":"1"}', "application/json")).status, 400);
			for (const body of ["", "other=1", "state=1&state=2", `state=1&code=${"x".repeat(9_000)}`])
				assert.equal((await post(body)).status, 400, body.slice(0, 40));
		});
	});
});

describe("POST /api/v1/auth/third-party/finish", () => {
	/** A browser that has returned from the provider. */
	const returned = async (sub: string, jar = newJar()): Promise<Jar> => {
		assert.equal(await stage.comeBack("open", sub, { jar }), "finish");
		return jar;
	};
	const PROBLEM = { accept: "application/problem+json" };
	const isAbsent = async (jar: Jar): Promise<void> => {
		const { status, body } = await stage.finish(jar, PROBLEM);
		assert.deepEqual([status, Object(body).code], [404, "third_party_sign_in.not_found"]);
	};

	describe("200", () => {
		it("returns tokens of no application, with the refresh token in the cookie", async () => {
			const jar = await returned("one");
			const response = await stage.finish(jar);
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			const { access_token, token_type, user, ...rest } = response.body.data;
			assert.equal(token_type, "Bearer");
			assert.deepEqual(rest, { expires_in: 900, refresh_expires_in: 604_800 });
			assert.ok(user.last_login_at !== null);
			const claims = decodeJwt(access_token);
			assert.deepEqual([claims.amr, claims.aud], [["fed"], [PUBLIC_URL]]);
			assert.equal(await isAlive(stage.service, access_token), true);
			const cookie = String(response.headers["set-cookie"]?.[0]);
			assert.match(cookie, /^__Host-latchkey=[A-Za-z0-9_-]{91}; Path=\/; Secure; HttpOnly; SameSite=Lax;/);
			const refreshed = await stage.service.call("POST", "/api/v1/auth/refresh", {
				https: true,
				headers: { cookie: String(cookie.split(";")[0]), origin: PUBLIC_URL, "x-session": "cookie" },
			});
			assert.equal(refreshed.status, 200);
			assert.deepEqual(decodeJwt(refreshed.body.data.access_token).amr, ["fed"]);
		});

		it("opens a session of the browser that finishes", async () => {
			const jar = await returned("seven");
			const { access_token } = (await stage.finish(jar, { "user-agent": "Firefox of seven" })).body.data;
			const sessions = await stage.service.call("GET", "/api/v1/users/me/sessions", { token: access_token });
			assert.equal(sessions.body.data[0]?.user_agent, "Firefox of seven");
		});

		it("requires an enrolled second factor first", async () => {
			const careful = await addPersonWithTotp(stage.service, "careful");
			assert.equal(await stage.comeBack("open", "six", { linkTo: careful }), "linked");
			const response = await stage.finish(await returned("six"));
			const { data } = response.body;
			assert.deepEqual([data.mfa_required, data.access_token], [true, undefined]);
			assert.equal(response.headers["set-cookie"], undefined);
			const code = nextCode(stage.service, careful.secret);
			const body = { mfa_token: data.mfa_token, method: "totp", code };
			const completed = await stage.service.call("POST", MFA, { body });
			assert.equal(completed.body.data?.user.id, careful.id, JSON.stringify(completed.body));
			assert.deepEqual(decodeJwt(completed.body.data.access_token).amr, ["fed", "otp", "mfa"]);
		});

		it("finishes the last of several sign-ins of a browser", async () => {
			const jar = await returned("one", await returned("two"));
			const { data } = (await stage.finish(jar)).body;
			const accounts = await stage.service.call("GET", LINKS, { token: data.access_token });
			assert.equal(accounts.body.data[0]?.provider_user_id, "one");
			await isAbsent(jar);
		});
	});

	describe("403", () => {
		it("refuses other origins, which uses nothing up", async () => {
			const jar = await returned("two");
			for (const origin of [
				"https://evil.example",
				"null",
				`${PUBLIC_URL}.evil.example`,
				"http://id.latchkey.example",
			]) {
				const { status, body } = await stage.finish(jar, { ...PROBLEM, origin });
				assert.deepEqual([status, Object(body).code], [403, "origin.not_allowed"], origin);
			}
			assert.equal((await stage.finish(jar)).status, 200);
		});

		it("refuses an account that was disabled in the meantime, which uses up the sign-in", async () => {
			const { id } = (await stage.signIn("open", "four")).body.data.user;
			const jar = await returned("four");
			const path = `/api/v1/users/${id}`;
			await stage.service.asAdmin("PATCH", path, { status: "disabled" });
			assert.equal((await stage.finish(jar)).status, 403);
			await stage.service.asAdmin("PATCH", path, { status: "active" });
			await isAbsent(jar);
		});
	});

	describe("404", () => {
		it("signs in one of ten concurrent requests", async () => {
			const jar = await returned("two");
			const responses = await Promise.all(Array.from({ length: 10 }, () => stage.finish(jar)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(404)]);
			await isAbsent(jar);
		});

		it("refuses another browser, with or without a sign-in in progress", async () => {
			const jar = await returned("two");
			const other = newJar();
			await stage.start(other, "open");
			for (const stranger of [newJar(), other]) await isAbsent(stranger);
			assert.equal((await stage.finish(jar)).status, 200);
		});

		it("refuses after a minute", async () => {
			const [soon, late] = [await returned("two"), await returned("two")];
			stage.service.clock.advance(30_000);
			assert.equal((await stage.finish(soon)).status, 200);
			stage.service.clock.advance(30_000);
			await isAbsent(late);
		});

		it("refuses the sign-in of an account that was unlinked", async () => {
			const { access_token, user } = (await stage.signIn("open", "three")).body.data;
			const body = { password: "now there is a password" };
			await stage.service.asAdmin("PATCH", `/api/v1/users/${user.id}`, body);
			const again = (await stage.signIn("open", "three")).body.data.access_token;
			const [account] = (await stage.service.call("GET", LINKS, { token: again })).body.data;
			const jar = await returned("three");
			await stage.service.call("DELETE", `${LINKS}/${account?.id}`, { token: again });
			await isAbsent(jar);
			assert.equal(await isAlive(stage.service, access_token), false);
		});

		it("refuses the sign-in of a provider that was disabled after its callback", async () => {
			const { body } = await stage.service.callAsAdmin("GET", IDENTITY_PROVIDERS);
			const path = `${IDENTITY_PROVIDERS}/${body.data.find(({ provider }) => provider === "open")?.id}`;
			const jar = await returned("three");
			await stage.service.asAdmin("PATCH", path, { enabled: false });
			try {
				await isAbsent(jar);
			} finally {
				await stage.service.asAdmin("PATCH", path, { enabled: true });
			}
			assert.equal((await stage.signIn("open", "three")).status, 200);
		});
	});

	describe("426", () => {
		it("requires HTTPS", async () => {
			const path = `${THIRD_PARTY}/finish`;
			const { status } = await stage.service.call("POST", path, { headers: { origin: PUBLIC_URL } });
			assert.equal(status, 426);
		});
	});
});
