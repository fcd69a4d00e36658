import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { sha256Base64url } from "../../../src/crypto/digest.ts";
import { APPLICATIONS, addApplication } from "../../harness/applications.ts";
import { isAlive } from "../../harness/people.ts";
import { addPersonWithTotp, MFA, nextCode } from "../../harness/second-factors.ts";
import {
	LINKS,
	newJar,
	openStage,
	parametersOf,
	REDIRECT_URI,
	type Stage,
	THIRD_PARTY,
} from "../../harness/third-party.ts";

describe("POST /api/v1/auth/third-party/token", () => {
	let stage: Stage;
	before(async () => {
		stage = await openStage(["one", "two", "three", "four", "five", "six", "seven"].map((sub) => ({ sub })));
		await stage.addProvider("open", { sign_up: true });
	});
	after(() => stage?.stop());

	const ticketOf = async (sub: string, fields = {}): Promise<string> =>
		String((await stage.comeBack("open", sub, { fields })).get("ticket"));
	const statusOf = async (...args: Parameters<Stage["redeem"]>): Promise<number> =>
		(await stage.redeem(...args)).status;

	describe("200", () => {
		it("answers tokens that work, for the application that was named", async () => {
			const answer = await stage.redeem(await ticketOf("one", { app_id: stage.appId }));
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			const { access_token, refresh_token, token_type, user, ...rest } = answer.body.data;
			assert.equal(token_type, "Bearer");
			assert.deepEqual(rest, { expires_in: 900, refresh_expires_in: 604_800 });
			assert.ok(user.last_login_at !== null);
			const claims = decodeJwt(access_token);
			assert.deepEqual(claims.amr, ["fed"]);
			assert.ok((claims.aud as string[]).includes(stage.appId));
			assert.equal(await isAlive(stage.service, access_token), true);
			const refreshed = await stage.service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
			assert.equal(refreshed.status, 200);
			assert.deepEqual(decodeJwt(refreshed.body.data.access_token).amr, ["fed"]);
		});

		it("opens a session for the browser that came back, not for the calling server", async () => {
			const jar = newJar();
			const callback = await stage.goThrough(jar, await stage.start("open"), "seven");
			const headers = { "user-agent": "Firefox of seven" };
			const back = parametersOf(await stage.visit(jar, callback, headers));
			const { access_token } = (await stage.redeem(back.get("ticket"))).body.data;
			const sessions = await stage.service.call("GET", "/api/v1/users/me/sessions", { token: access_token });
			assert.equal(sessions.body.data[0]?.user_agent, "Firefox of seven");
		});

		it("requires an enrolled second factor first", async () => {
			const ada = await addPersonWithTotp(stage.service, "ada");
			await stage.signIn("open", "six", { linkTo: ada });
			const { data } = (await stage.redeem(await ticketOf("six"))).body;
			assert.deepEqual([data.mfa_required, data.access_token], [true, undefined]);
			const code = nextCode(stage.service, ada.secret);
			const body = { mfa_token: data.mfa_token, method: "totp", code };
			const answer = await stage.service.call("POST", MFA, { body });
			assert.equal(answer.body.data?.user.id, ada.id, JSON.stringify(answer.body));
			assert.deepEqual(decodeJwt(answer.body.data.access_token).amr, ["fed", "otp", "mfa"]);
		});

		it("requires the verifier that belongs to the challenge of the start", async () => {
			const code_verifier = "v".repeat(43);
			const ticket = await ticketOf("one", { code_challenge: sha256Base64url(code_verifier) });
			assert.equal(await statusOf(ticket), 401);
			assert.equal(await statusOf(ticket, { code_verifier: "w".repeat(43) }), 401);
			assert.equal(await statusOf(ticket, { code_verifier }), 200);
			// And none where none was announced: a ticket of one flow does not fit into another.
			assert.equal(await statusOf(await ticketOf("one"), { code_verifier }), 401);
		});
	});

	describe("400", () => {
		it("names the field that is missing", async () => {
			const answer = await stage.service.call("POST", `${THIRD_PARTY}/token`, { body: {} });
			assert.equal(answer.status, 400);
			assert.match(answer.body.error, /^ticket /);
		});
	});

	describe("401", () => {
		it("takes a ticket once, of many at the same time too", async () => {
			const ticket = await ticketOf("two");
			const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(ticket)));
			assert.deepEqual(statuses.toSorted(), [200, ...Array(9).fill(401)]);
			assert.equal(await statusOf(ticket), 401);
		});

		it("takes it for a minute", async () => {
			const [soon, late] = [await ticketOf("two"), await ticketOf("two")];
			stage.service.clock.advance(50_000);
			assert.equal(await statusOf(soon), 200);
			stage.service.clock.advance(10_000);
			assert.equal(await statusOf(late), 401);
		});

		it("refuses a ticket of an unlinked account, and a made-up one", async () => {
			const { access_token, user } = (await stage.signIn("open", "three")).body.data;
			const token = await stage.service.adminToken();
			const body = { password: "now there is a password" };
			await stage.service.call("PATCH", `/api/v1/users/${user.id}`, { token, body });
			const again = (await stage.signIn("open", "three")).body.data.access_token;
			const [account] = (await stage.service.call("GET", LINKS, { token: again })).body.data;
			const ticket = await ticketOf("three");
			await stage.service.call("DELETE", `${LINKS}/${account?.id}`, { token: again });
			assert.equal(await statusOf(ticket), 401);
			assert.equal(await statusOf("x".repeat(43)), 401);
			assert.equal(await isAlive(stage.service, access_token), false);
		});
	});

	describe("403", () => {
		it("refuses an account that was disabled meanwhile, and uses the ticket up", async () => {
			const { id } = (await stage.signIn("open", "four")).body.data.user;
			const ticket = await ticketOf("four");
			const token = await stage.service.adminToken();
			const path = `/api/v1/users/${id}`;
			await stage.service.call("PATCH", path, { token, body: { status: "disabled" } });
			assert.equal(await statusOf(ticket), 403);
			await stage.service.call("PATCH", path, { token, body: { status: "active" } });
			assert.equal(await statusOf(ticket), 401);
		});

		it("refuses an application after access was removed", async () => {
			const open = { redirect_uris: [REDIRECT_URI], access_policy: "open" };
			const app = await addApplication(stage.service, open);
			const ticket = await ticketOf("five", { app_id: app.id });
			const token = await stage.service.adminToken();
			const body = { access_policy: "assigned" };
			await stage.service.call("PATCH", `${APPLICATIONS}/${app.id}`, { token, body });
			assert.equal(await statusOf(ticket), 403);
		});
	});
});
