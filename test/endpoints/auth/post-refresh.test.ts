import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people.ts";
import { enrolTotp, requireMfa, signInWithTotp } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/refresh";
const PROBLEM = { accept: "application/problem+json" };

interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
	readonly refresh_expires_in: number;
}

describe("POST /api/v1/auth/refresh", () => {
	let service: TestService;
	let person: Person;
	before(async () => {
		service = await startTestService();
		person = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const signIn = async ({ username, password } = person, appId?: string): Promise<Tokens> => {
		const body = { username, password, app_id: appId };
		const answer = await service.call("POST", "/api/v1/auth/login", { body });
		assert.equal(answer.status, 200);
		return answer.body.data;
	};
	const refresh = (token: unknown, headers = {}) =>
		service.call("POST", PATH, { body: { refresh_token: token }, headers });
	const refreshed = async (token: string): Promise<Tokens> => {
		const answer = await refresh(token);
		assert.equal(answer.status, 200);
		return answer.body.data;
	};
	const asAdmin = async <M extends string, P extends string>(method: M, path: P, body?: unknown) => {
		const answer = await service.call(method, path, { token: await freshAdminToken(), body });
		assert.ok(answer.status < 300, `${path} answered ${answer.status}`);
		return answer.body;
	};
	// The clock is moved by weeks here: the harness's own admin token would have expired.
	const freshAdminToken = () => service.tokenOf("admin", "correct horse battery staple");
	const claimsOf = (token: string) =>
		JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString("utf8"));

	describe("200", () => {
		it("answers new tokens for the same session", async () => {
			const first = await signIn();
			service.clock.advance(MINUTE_MS);
			const answer = await refresh(first.refresh_token);
			assert.equal(answer.status, 200);
			assert.equal(answer.headers["cache-control"], "no-store");
			const second = answer.body.data;
			assert.deepEqual(Object.keys(second).sort(), Object.keys(first).sort());
			assert.notEqual(second.refresh_token, first.refresh_token);
			assert.match(second.refresh_token, /^[A-Za-z0-9_-]{43}$/);
			assert.equal(second.token_type, "Bearer");
			assert.equal(second.expires_in, 900);
			assert.equal(second.refresh_expires_in, 604_800);
			assert.equal(second.user.id, person.id);
			const [before, now] = [claimsOf(first.access_token), claimsOf(second.access_token)];
			assert.equal(now.sid, before.sid);
			assert.equal(now.auth_time, before.auth_time);
			assert.deepEqual(now.amr, before.amr);
			assert.notEqual(now.jti, before.jti);
			assert.ok(now.exp >= before.exp + 60);
			assert.equal(await isAlive(service, second.access_token), true);
		});

		it("answers the same successor to fifty simultaneous requests; it then works once", async () => {
			const { refresh_token } = await signIn();
			const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
			assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
			const successors = new Set(answers.map(({ body }) => body.data.refresh_token));
			assert.equal(successors.size, 1);
			for (const { body } of answers.slice(0, 3))
				assert.equal(await isAlive(service, body.data.access_token), true);
			for (const successor of successors) await refreshed(successor);
		});

		it("answers the same successor again within ten seconds, since the answer may have been lost", async () => {
			const { refresh_token } = await signIn();
			const first = await refreshed(refresh_token);
			service.clock.advance(9 * SECOND_MS);
			const again = await refreshed(refresh_token);
			assert.equal(again.refresh_token, first.refresh_token);
			await refreshed(again.refresh_token);
		});

		it("shows the roles a user has by now", async () => {
			const promoted = await addPerson(service, "promoted");
			const { refresh_token } = await signIn(promoted);
			await asAdmin("PATCH", `/api/v1/users/${promoted.id}`, { roles: ["auditor"] });
			assert.deepEqual(claimsOf((await refreshed(refresh_token)).access_token).roles, ["auditor"]);
		});

		it("slides seven days at a time, up to thirty days after sign-in", async () => {
			let tokens = await signIn();
			for (let day = 6; day <= 24; day += 6) {
				service.clock.advance(6 * DAY_MS);
				tokens = await refreshed(tokens.refresh_token);
			}
			assert.ok(tokens.refresh_expires_in <= 6 * 86_400, "capped by the thirty days");
			assert.ok(tokens.refresh_expires_in > 6 * 86_400 - 60);
			service.clock.advance(6 * DAY_MS - MINUTE_MS);
			tokens = await refreshed(tokens.refresh_token);
			assert.ok(tokens.refresh_expires_in <= 60);
			service.clock.advance(MINUTE_MS);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			assert.equal(await isAlive(service, tokens.access_token), false);
		});
	});

	describe("204", () => {
		it("tells a browser that it has no session", async () => {
			const headers = { "x-session": "cookie", origin: service.httpsUrl };
			const answer = await service.call("POST", PATH, { https: true, headers });
			assert.equal(answer.status, 204);
		});
	});

	describe("400", () => {
		for (const token of [undefined, null, "", 7, ["token"], "x".repeat(513)]) {
			it(`refuses ${JSON.stringify(token)?.slice(0, 20)} as a token`, async () => {
				const answer = await refresh(token, PROBLEM);
				assert.equal(answer.status, 400);
				assert.equal(answer.body.errors[0]?.field, "refresh_token");
			});
		}
	});

	describe("401", () => {
		it("refuses an unknown token, a shortened one and an access token in the same words", async () => {
			const { refresh_token, access_token } = await signIn();
			for (const token of [
				"nobody's",
				refresh_token.slice(1),
				` ${refresh_token}`,
				access_token.slice(0, 500),
			]) {
				const answer = await refresh(token, PROBLEM);
				assert.equal(answer.status, 401);
				assert.equal(answer.body.code, "refresh_token.invalid");
				assert.equal(answer.body.detail, "refresh token is invalid or expired");
			}
			await refreshed(refresh_token);
		});

		it("refuses a token seven days after it was handed out", async () => {
			const tokens = await signIn();
			service.clock.advance(7 * DAY_MS - SECOND_MS);
			const next = await refreshed(tokens.refresh_token);
			service.clock.advance(7 * DAY_MS);
			assert.equal((await refresh(next.refresh_token)).status, 401);
		});

		it("ends the session when a used token comes after ten seconds, and audits it once", async () => {
			const tokens = await signIn();
			const next = await refreshed(tokens.refresh_token);
			assert.equal(await isAlive(service, next.access_token), true);
			service.clock.advance(11 * SECOND_MS);
			const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(tokens.refresh_token)));
			assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401]);
			assert.equal(await isAlive(service, next.access_token), false);
			assert.equal((await refresh(next.refresh_token)).status, 401);
			const reused = (await auditOf(service, `user:${person.id}`)).filter(
				({ action, details }) =>
					action === "session.refresh_reused" && details.session_id === claimsOf(next.access_token).sid,
			);
			assert.equal(reused.length, 1);
		});

		it("ends the session when a token before the last comes back, however soon", async () => {
			const tokens = await signIn();
			const second = await refreshed(tokens.refresh_token);
			const third = await refreshed(second.refresh_token);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			assert.equal((await refresh(third.refresh_token)).status, 401);
			assert.equal(await isAlive(service, third.access_token), false);
		});

		it("recognises a stolen token until the session's last day", async () => {
			const stolen = await signIn();
			let tokens = await refreshed(stolen.refresh_token);
			for (let week = 0; week < 4; week++) {
				service.clock.advance(6 * DAY_MS);
				tokens = await refreshed(tokens.refresh_token);
			}
			assert.equal((await refresh(stolen.refresh_token)).status, 401);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
		});

		it("keeps the user's other sessions", async () => {
			const other = await signIn();
			const tokens = await signIn();
			await refreshed(tokens.refresh_token);
			service.clock.advance(11 * SECOND_MS);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			assert.equal(await isAlive(service, other.access_token), true);
		});

		it("refuses the token of an ended session, and of a deleted user", async () => {
			const ended = await signIn();
			await service.call("POST", "/api/v1/auth/logout", { token: ended.access_token });
			assert.equal((await refresh(ended.refresh_token)).status, 401);
			const leaver = await addPersonNow("leaver");
			const gone = await signIn(leaver);
			await asAdmin("DELETE", `/api/v1/users/${leaver.id}`);
			assert.equal((await refresh(gone.refresh_token)).status, 401);
			const banned = await addPersonNow("banned");
			const off = await signIn(banned);
			await asAdmin("PATCH", `/api/v1/users/${banned.id}`, { status: "disabled" });
			assert.notEqual((await refresh(off.refresh_token)).status, 200);
		});
	});

	describe("403", () => {
		it("ends the session when access to its application was taken away", async () => {
			const member = await addPersonNow("member");
			const { data: app } = await asAdmin("POST", "/api/v1/applications", { name: "Members" });
			const grant = `/api/v1/applications/${app.id}/grants/users/${member.id}`;
			await asAdmin("PUT", grant, { roles: [] });
			const tokens = await refreshed((await signIn(member, app.id)).refresh_token);
			assert.deepEqual(claimsOf(tokens.access_token).aud, ["https://localhost:8443", app.id]);
			await asAdmin("DELETE", grant);
			const answer = await refresh(tokens.refresh_token, PROBLEM);
			assert.equal(answer.status, 403);
			assert.equal(answer.body.code, "application.access_denied");
			assert.equal(await isAlive(service, tokens.access_token), false);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			const events = await auditOf(service, `user:${member.id}`);
			const [last] = events.slice(-1);
			assert.equal(last?.action, "session.refresh_refused");
			assert.equal(last?.details.reason, "application.access_denied");
		});

		it("ends a session without a second factor that is required meanwhile, and keeps one with it", async () => {
			const { data: app } = await asAdmin("POST", "/api/v1/applications", {
				name: "Strict",
				access_policy: "open",
			});
			const member = await addPersonNow("strict-member");
			const [without, elsewhere] = [await signIn(member, app.id), await signIn(member)];
			const enrolled = await enrolTotp(service, { ...member, token: without.access_token });
			const proved = await signInWithTotp(service, enrolled, { app_id: app.id });
			await asAdmin("PATCH", `/api/v1/applications/${app.id}`, { require_mfa: true });
			const answer = await refresh(without.refresh_token, PROBLEM);
			assert.deepEqual([answer.status, answer.body.code], [403, "mfa.required"]);
			assert.equal(await isAlive(service, without.access_token), false);
			assert.equal((await refresh(proved.refresh_token)).status, 200);
			const kept = await refreshed(elsewhere.refresh_token);
			const admin = await freshAdminToken();
			await requireMfa(service, true, admin);
			assert.equal((await refresh(kept.refresh_token)).status, 403);
			await requireMfa(service, false, admin);
			const events = await auditOf(service, `user:${member.id}`);
			const reasons = events.filter(({ action }) => action === "session.refresh_refused");
			assert.deepEqual(
				reasons.map(({ details }) => details.reason),
				["mfa.required", "mfa.required"],
			);
		});

		it("ends the session of an account that was disabled meanwhile", async () => {
			const member = await addPersonNow("disabled-member");
			const tokens = await signIn(member);
			// Disabling ends sessions itself; this is the one that was refreshed in that very moment.
			await disableBehindTheService(member.id);
			const answer = await refresh(tokens.refresh_token, PROBLEM);
			assert.equal(answer.status, 403);
			assert.equal(answer.body.code, "account.disabled");
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
		});
	});

	async function disableBehindTheService(id: string): Promise<void> {
		const engine = await service.openDatabase();
		await engine.queries.run("UPDATE users SET status = 'disabled' WHERE id = $1", id);
		await engine.close();
	}

	async function addPersonNow(username: string): Promise<Person> {
		const email = `${username}@people.example`;
		const password = `the long password of ${username}`;
		const { data } = await asAdmin("POST", "/api/v1/users", { username, email, password });
		return { id: data.id, username, email, password, token: "" };
	}
});
