import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mailedToken } from "../../harness/access-requests.ts";
import { APPLICATIONS, addApplication, putGrant } from "../../harness/applications.ts";
import { addPerson, auditOf, signInAgain } from "../../harness/people.ts";
import type { Answer } from "../../harness/service.ts";
import {
	LINKS,
	newJar,
	openStage,
	parametersOf,
	REDIRECT_URI,
	type Stage,
	THIRD_PARTY,
} from "../../harness/third-party.ts";
import type { BodyOfRow } from "../../harness/wire-body.ts";

const USERS = [
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

describe("GET /api/v1/auth/third-party/{provider}/callback", () => {
	let stage: Stage;
	before(async () => {
		stage = await openStage(USERS);
		await stage.addProvider("open", { sign_up: true });
		await stage.addProvider("closed");
	});
	after(() => stage?.stop());

	const userOf = (answer: Awaited<ReturnType<Stage["redeem"]>>) => answer.body.data.user;
	const accountsOf = async (token: string) => (await stage.service.call("GET", LINKS, { token })).body;
	const errorOf = async (...args: Parameters<Stage["comeBack"]>): Promise<string> => {
		const back = await stage.comeBack(...args);
		assert.deepEqual([...back.keys()], ["error"]);
		return String(back.get("error"));
	};
	const newUsers = async (q: string): Promise<number> => {
		const token = await stage.service.adminToken();
		return (await stage.service.call("GET", `/api/v1/users?q=${q}`, { token })).body.total;
	};

	describe("303", () => {
		it("creates an account for an unknown person, and finds it the next time", async () => {
			const back = await stage.comeBack("open", "ada-1");
			assert.deepEqual([...back.keys()], ["ticket"]);
			assert.match(String(back.get("ticket")), /^[A-Za-z0-9_-]{43}$/);
			const first = userOf(await stage.redeem(back.get("ticket")));
			for (const password of ["", " ", "a password never set"]) {
				const body = { username: first.username, password };
				const login = await stage.service.call("POST", "/api/v1/auth/login", { body });
				assert.equal(login.status, password === "" ? 400 : 401);
			}
			assert.deepEqual(
				[first.username, first.email, first.email_verified, first.display_name],
				["ada", "ada@people.example", true, "Ada Lovelace"],
			);
			const answer = await stage.signIn("open", "ada-1");
			assert.equal(userOf(answer).id, first.id);
			const { data } = await accountsOf(answer.body.data.access_token);
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

		it("assigns a placeholder address where the provider gives none, or a look-alike", async () => {
			const nameless = userOf(await stage.signIn("open", "nameless"));
			assert.equal(nameless.email, `${nameless.id}@no-address.invalid`);
			assert.deepEqual([nameless.username, nameless.email_verified], ["user", false]);
			await stage.service.call("POST", "/api/v1/auth/password/forgot", { body: { email: nameless.email } });
			const engine = await stage.service.openDatabase();
			const last = "SELECT status, payload_sealed FROM mail_outbox ORDER BY id DESC LIMIT 1";
			const mail = await engine.queries.one<{ status: string; payload_sealed: string }>(last);
			assert.deepEqual([mail?.status, mail?.payload_sealed], ["dropped", ""]);
			await engine.close();
			await addPerson(stage.service, "victim", { email_verified: true });
			const lookalike = userOf(await stage.signIn("open", "fullwidth"));
			assert.equal(lookalike.email, `${lookalike.id}@no-address.invalid`);
			assert.equal(lookalike.username, "full-width");
		});

		it("joins an account by e-mail when both sides have proved it, and by nothing less", async () => {
			const people = await Promise.all([
				addPerson(stage.service, "lax", { email_verified: true }),
				addPerson(stage.service, "unproved", { email_verified: true }),
			]);
			const [lax, unproved] = people.map(({ id }) => id);
			assert.equal(userOf(await stage.signIn("closed", "lax")).id, lax);
			const mails = await stage.service.mailsTo("lax@people.example");
			assert.ok(mails.some(({ subject }) => subject === "An account at closed was linked"));
			// The address is unverified: where sign-up is off, the answer does not reveal the account.
			assert.equal(await errorOf("closed", "unproved"), "sign_up_not_allowed");
			assert.equal(await errorOf("open", "unproved"), "account_exists");
			assert.equal((await accountsOf((people[1] as { token: string }).token)).total, 0);
			const token = await stage.service.adminToken();
			await stage.service.call("PATCH", `/api/v1/users/${unproved}`, {
				token,
				body: { email_verified: false },
			});
			assert.equal(await errorOf("open", "unproved"), "account_exists");
			assert.equal(await errorOf("open", "eve"), "account_exists");
		});

		it("does not join an account whose address is not proved here", async () => {
			const mover = await addPerson(stage.service, "mover", { email: "mover@provider.example" });
			assert.equal(await errorOf("open", "mover"), "account_exists");
			assert.equal((await accountsOf(mover.token)).total, 0);
		});

		it("never joins a platform admin: the tenant's admin could become them", async () => {
			const root = await addPerson(stage.service, "root", {
				roles: ["platform_admin"],
				email_verified: true,
			});
			assert.equal(await errorOf("open", "root"), "account_exists");
			assert.equal((await accountsOf(root.token)).total, 0);
		});

		it("does not join an invited user, and signs in by an account that an administrator linked only later", async () => {
			const { service } = stage;
			const token = await service.adminToken();
			const email = "invited@provider.example";
			const guest = { username: "guest", email, email_verified: true, invite: true };
			const { id } = (await service.call("POST", "/api/v1/users", { token, body: guest })).body.data;
			assert.equal(await errorOf("open", "invited"), "account_exists");
			const body = { provider: "open", provider_user_id: "invited" };
			const linked = await service.call("POST", `/api/v1/users/${id}/third-party-accounts`, { token, body });
			assert.equal(linked.status, 201);
			assert.equal(await errorOf("open", "invited"), "account_disabled");
			const link = await mailedToken(service, email, "invite");
			const accepted = await service.call("POST", "/api/v1/auth/invite/accept", { body: { token: link } });
			assert.equal(accepted.status, 200);
			assert.equal(userOf(await stage.signIn("open", "invited")).id, id);
		});

		it("creates no account where sign-up is not allowed", async () => {
			assert.equal(await errorOf("closed", "stranger"), "sign_up_not_allowed");
			assert.equal(await newUsers("stranger"), 0);
		});

		it("creates one account from simultaneous callbacks of one new person", async () => {
			const jars = Array.from({ length: 5 }, newJar);
			const callbacks = await Promise.all(
				jars.map(async (jar) => stage.goThrough(jar, await stage.start("open"), "race")),
			);
			const backs = await Promise.all(
				jars.map(async (jar, index) => parametersOf(await stage.visit(jar, callbacks[index] as URL))),
			);
			const answers = await Promise.all(backs.map((back) => stage.redeem(back.get("ticket"))));
			assert.equal(new Set(answers.map((answer) => userOf(answer).id)).size, 1);
			assert.equal(await newUsers("race"), 1);
		});

		it("names the cause: the person, the provider or the account", async () => {
			assert.equal(await errorOf("open", null), "access_denied");
			const { id } = userOf(await stage.signIn("open", "gone"));
			const token = await stage.service.adminToken();
			await stage.service.call("PATCH", `/api/v1/users/${id}`, { token, body: { status: "disabled" } });
			assert.equal(await errorOf("open", "gone"), "account_disabled");
			const events = await auditOf(stage.service, `user:${id}`);
			assert.deepEqual(events.at(-1)?.details, {
				reason: "account_disabled",
				provider: "open",
				app_id: null,
			});
		});

		it("decides access to the application; a person without access gets no account either", async () => {
			const app = await addApplication(stage.service, {
				redirect_uris: [REDIRECT_URI],
				access_policy: "assigned",
			});
			const fields = { app_id: app.id };
			assert.equal(await errorOf("open", "assigned", { fields }), "no_access");
			assert.equal(await newUsers("assigned"), 0);
			const { id } = userOf(await stage.signIn("open", "assigned"));
			assert.equal(await errorOf("open", "assigned", { fields }), "no_access");
			await putGrant(stage.service, app.id, id);
			assert.equal((await stage.signIn("open", "assigned", { fields })).status, 200);
		});

		it("links to the user who began, once, and not after their sign-out", async () => {
			const [linda, tom, ann] = await Promise.all(
				["linda", "tom", "ann"].map((name) => addPerson(stage.service, name)),
			);
			assert.ok(linda && tom && ann);
			const { token } = linda;
			const linked = await stage.signIn("closed", "linked", { linkTo: linda });
			assert.equal(userOf(linked).id, linda.id);
			assert.equal((await accountsOf(token)).total, 1);
			// Again: nothing new. By another user: the link stays.
			await stage.signIn("closed", "linked", { linkTo: linda });
			assert.equal((await accountsOf(token)).total, 1);
			assert.equal(await errorOf("closed", "linked", { linkTo: tom }), "link_taken");
			assert.equal((await accountsOf(tom.token)).total, 0);
			const ended = await signInAgain(stage.service, ann);
			const jar = newJar();
			const start = await stage.service.call<
				BodyOfRow<"POST /api/v1/users/me/third-party-accounts/{provider}/start">
			>("POST", `${LINKS}/closed/start`, {
				token: ended,
				body: { redirect_uri: REDIRECT_URI, password: ann.password },
			});
			jar.cookies.set(...cookieOf(start));
			const callback = await stage.goThrough(jar, start.body.data.authorization_url, "ended");
			await stage.service.call("POST", "/api/v1/auth/logout", { token: ended });
			assert.equal(parametersOf(await stage.visit(jar, callback)).get("error"), "session_ended");
			assert.equal((await accountsOf(ann.token)).total, 0);
		});

		it("reveals no state and no code to others", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "ada-1");
			const answer = await stage.visit(jar, callback);
			assert.equal(answer.headers["referrer-policy"], "no-referrer");
			assert.equal(answer.headers["cache-control"], "no-store");
			assert.doesNotMatch(String(answer.headers.location), /code=|state=/);
		});
	});

	describe("400", () => {
		const isRefused = async (answer: Answer): Promise<void> => {
			assert.equal(answer.status, 400);
			assert.match(String(answer.headers["content-type"]), /^text\/html/);
			assert.match(String(answer.body), /began in another browser/);
			assert.equal(answer.headers.location, undefined);
		};

		it("refuses another browser's state, with or without a cookie, and consumes nothing", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "again");
			await isRefused(await stage.visit(newJar(), callback));
			const other = newJar();
			await stage.visit(other, await stage.start("open"));
			await isRefused(await stage.visit(other, callback));
			assert.ok(parametersOf(await stage.visit(jar, callback)).has("ticket"));
		});

		it("accepts a callback once, of many simultaneous ones too", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "twice");
			const answers = await Promise.all(Array.from({ length: 5 }, () => stage.visit(jar, callback)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400, 400, 400, 400]);
			await isRefused(await stage.visit(jar, callback));
		});

		it("refuses a callback that is late, at another provider's path, or made up", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "ada-1");
			await isRefused(await stage.visit(jar, String(callback).replace("/open/", "/closed/")));
			for (const query of ["", "?state=", "?state=none&code=1", "?code=1"])
				await isRefused(await stage.visit(jar, `${THIRD_PARTY}/open/callback${query}`));
			const late = await stage.goThrough(jar, await stage.start("open"), "ada-1");
			stage.service.clock.advance(601_000);
			await isRefused(await stage.visit(jar, late));
		});

		it("redirects to no unregistered address and to no disabled provider", async () => {
			const token = await stage.service.adminToken();
			const uri = "https://app.latchkey.example/old";
			const app = await addApplication(stage.service, { redirect_uris: [uri] });
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open", { redirect_uri: uri }), "ada-1");
			const path = `${APPLICATIONS}/${app.id}`;
			await stage.service.call("PATCH", path, { token, body: { redirect_uris: [] } });
			await isRefused(await stage.visit(jar, callback));
			const { id } = await stage.addProvider("off");
			const other = await stage.goThrough(jar, await stage.start("off"), "ada-1");
			await stage.service.call("PATCH", `/api/v1/identity-providers/${id}`, {
				token,
				body: { enabled: false },
			});
			await isRefused(await stage.visit(jar, other));
		});

		it("answers programs in JSON", async () => {
			const headers = { accept: "application/problem+json" };
			const answer = await stage.visit(newJar(), `${THIRD_PARTY}/open/callback?state=none`, headers);
			assert.deepEqual([answer.status, answer.body.code], [400, "third_party_attempt.invalid"]);
		});
	});

	describe("404", () => {
		it("refuses a provider of a malformed name", async () => {
			assert.equal((await stage.visit(newJar(), `${THIRD_PARTY}/Open%20/callback`)).status, 404);
		});
	});
});

function cookieOf(answer: Answer): [string, string] {
	const [name = "", value = ""] = (answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "").split("=");
	return [name, value];
}
