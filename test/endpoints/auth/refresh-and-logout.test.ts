// The tokens of a session: refresh with rotation, sign-out, and the Bearer guard, tested on GET
// /api/v1/users/me. Forged tokens: test/wire/forged-tokens.test.ts.

import assert from "node:assert/strict";
import net from "node:net";
import { describe, it } from "node:test";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf, isAlive, signInAgain } from "../../harness/people/people.ts";
import { claimsOf, enrollTotp, requireMfa, signInWithTotp } from "../../harness/people/second-factors.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const REFRESH = "/api/v1/auth/refresh";
const LOGOUT = "/api/v1/auth/logout";
const ME = "/api/v1/users/me";
const PROBLEM = { accept: "application/problem+json" };

interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
	readonly refresh_expires_in: number;
}

// With a stopped clock, lifetimes are exact.
const service = testService(() => ({ atMs: Date.now() }));

describe("POST /api/v1/auth/refresh", () => {
	const person = fixture(() => addPerson(service, "ada"));

	const signIn = async ({ username, password } = person, appId?: string): Promise<Tokens> => {
		const body = { username, password, app_id: appId };
		const response = await service.call("POST", "/api/v1/auth/login", { body });
		assert.equal(response.status, 200);
		return response.body.data;
	};
	const refresh = (token: unknown, headers = {}) =>
		service.call("POST", REFRESH, { body: { refresh_token: token }, headers });
	const refreshed = async (token: string): Promise<Tokens> => {
		const response = await refresh(token);
		assert.equal(response.status, 200);
		return response.body.data;
	};
	const asAdmin = async <M extends string, P extends string>(method: M, path: P, body?: unknown) => {
		const response = await service.callAsAdmin(method, path, { body });
		assert.ok(response.status < 300, `${path} returned ${response.status}`);
		return response.body;
	};

	describe("200", () => {
		it("returns new tokens for the same session", async () => {
			const first = await signIn();
			service.clock.advance(MINUTE_MS);
			const response = await refresh(first.refresh_token);
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const second = response.body.data;
			assert.deepEqual(Object.keys(second).sort(), Object.keys(first).sort());
			assert.notEqual(second.refresh_token, first.refresh_token);
			assert.match(second.refresh_token, /^[A-Za-z0-9_-]{91}$/);
			assert.equal(second.token_type, "Bearer");
			assert.equal(second.expires_in, 900);
			assert.equal(second.refresh_expires_in, 604_800);
			assert.equal(second.user.id, person.id);
			const [before, now] = [claimsOf(first.access_token), claimsOf(second.access_token)];
			assert.equal(now.sid, before.sid);
			assert.equal(now.auth_time, before.auth_time);
			assert.deepEqual(now.amr, before.amr);
			assert.notEqual(now.jti, before.jti);
			assert.equal(now.exp, Number(before.exp) + 60);
			assert.equal(await isAlive(service, second.access_token), true);
		});

		it("returns the same successor to many concurrent requests; it then works once", async () => {
			const { refresh_token } = await signIn();
			const responses = await Promise.all(
				Array.from({ length: atDepth({ quick: 12, all: 20, long: 50 }) }, () => refresh(refresh_token)),
			);
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
			const successors = new Set(responses.map(({ body }) => body.data.refresh_token));
			assert.equal(successors.size, 1);
			for (const { body } of responses.slice(0, 3))
				assert.equal(await isAlive(service, body.data.access_token), true);
			for (const successor of successors) await refreshed(successor);
		});

		it("returns the same successor again within ten seconds", async () => {
			const { refresh_token } = await signIn();
			const first = await refreshed(refresh_token);
			service.clock.advance(9 * SECOND_MS);
			const again = await refreshed(refresh_token);
			assert.equal(again.refresh_token, first.refresh_token);
			await refreshed(again.refresh_token);
		});

		it("issues an access token with the current roles", async () => {
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
			assert.equal(tokens.refresh_expires_in, 6 * 86_400, "capped by the thirty days");
			service.clock.advance(6 * DAY_MS - MINUTE_MS);
			tokens = await refreshed(tokens.refresh_token);
			assert.equal(tokens.refresh_expires_in, 60);
			service.clock.advance(MINUTE_MS);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			assert.equal(await isAlive(service, tokens.access_token), false);
		});
	});

	describe("204", () => {
		it("returns 204 to a browser without a session", async () => {
			const headers = { "x-session": "cookie", origin: service.httpsUrl };
			const response = await service.call("POST", REFRESH, { https: true, headers });
			assert.equal(response.status, 204);
		});
	});

	describe("401", () => {
		it("refuses a token that was altered anywhere, and revokes nothing", async () => {
			const { refresh_token: used } = await signIn();
			const { refresh_token } = await refreshed(used);
			const other = await signIn();
			const next = (character: string) => (character === "A" ? "B" : "A");
			const altered = Array.from(
				refresh_token,
				(character, at) => refresh_token.slice(0, at) + next(character) + refresh_token.slice(at + 1),
			);
			// An earlier and a later generation, and another session, each with the secret and the MAC of one of these.
			const [one, two, three] = [refresh_token, used, other.refresh_token].map((token) =>
				Buffer.from(token, "base64url"),
			) as [Buffer, Buffer, Buffer];
			for (const [name, rest] of [
				[two, one],
				[one, two],
				[three, one],
			] as const)
				for (const end of [20, 52])
					altered.push(Buffer.concat([name.subarray(0, end), rest.subarray(end)]).toString("base64url"));
			for (const token of altered) assert.equal((await refresh(token)).status, 401, token);
			await refreshed(refresh_token);
			await refreshed(other.refresh_token);
		});

		it("refuses an unknown token, a shortened one and an access token with the same response", async () => {
			const { refresh_token, access_token } = await signIn();
			for (const token of [
				"nobody's",
				refresh_token.slice(1),
				` ${refresh_token}`,
				access_token.slice(0, 500),
			]) {
				const response = await refresh(token, PROBLEM);
				assert.equal(response.status, 401);
				assert.equal(response.body.code, "refresh_token.invalid");
				assert.equal(response.body.detail, "refresh token is invalid or expired");
			}
			await refreshed(refresh_token);
		});

		it("refuses a token seven days after its issue", async () => {
			const tokens = await signIn();
			service.clock.advance(7 * DAY_MS - SECOND_MS);
			const next = await refreshed(tokens.refresh_token);
			service.clock.advance(7 * DAY_MS);
			assert.equal((await refresh(next.refresh_token)).status, 401);
		});

		it("revokes the session when a used token is sent after ten seconds, and audits it once", async () => {
			const tokens = await signIn();
			const next = await refreshed(tokens.refresh_token);
			assert.equal(await isAlive(service, next.access_token), true);
			service.clock.advance(11 * SECOND_MS);
			const responses = await Promise.all(Array.from({ length: 5 }, () => refresh(tokens.refresh_token)));
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [401]);
			assert.equal(await isAlive(service, next.access_token), false);
			assert.equal((await refresh(next.refresh_token)).status, 401);
			const reused = (await auditOf(service, `user:${person.id}`)).filter(
				({ action, details }) =>
					action === "session.refresh_reused" && details.session_id === claimsOf(next.access_token).sid,
			);
			assert.equal(reused.length, 1);
		});

		it("revokes the session when an older token is reused, however soon", async () => {
			const tokens = await signIn();
			const second = await refreshed(tokens.refresh_token);
			const third = await refreshed(second.refresh_token);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			assert.equal((await refresh(third.refresh_token)).status, 401);
			assert.equal(await isAlive(service, third.access_token), false);
		});

		it("revokes the session when a token is sent that a failover forgot, and does not accept the one before it", async () => {
			const stolen = await signIn();
			const next = await refreshed(stolen.refresh_token);
			const sid = String(claimsOf(next.access_token).sid);
			await using database = await service.openDatabase();
			await database.queries.run("UPDATE sessions SET generation = generation - 1 WHERE id = $1", sid);
			assert.equal((await refresh(next.refresh_token)).status, 401);
			assert.equal(await isAlive(service, next.access_token), false);
			assert.equal((await refresh(stolen.refresh_token)).status, 401);
			const ended = (await auditOf(service, `user:${person.id}`)).find(({ details }) => details.reason);
			assert.deepEqual([ended?.action, ended?.details.session_id], ["session.refresh_refused", sid]);
			assert.equal(ended?.details.reason, "refresh_token.invalid");
		});

		it("does not extend the ten seconds on a node whose clock is behind", async () => {
			const tokens = await signIn();
			const next = await refreshed(tokens.refresh_token);
			service.clock.advance(-11 * SECOND_MS);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			service.clock.advance(11 * SECOND_MS);
			assert.equal(await isAlive(service, next.access_token), false);
		});

		it("recognizes a stolen token until the session's last day", async () => {
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
			const leaver = await addPerson(service, "leaver");
			const gone = await signIn(leaver);
			await asAdmin("DELETE", `/api/v1/users/${leaver.id}`);
			assert.equal((await refresh(gone.refresh_token)).status, 401);
			const banned = await addPerson(service, "banned");
			const off = await signIn(banned);
			await asAdmin("PATCH", `/api/v1/users/${banned.id}`, { status: "disabled" });
			assert.notEqual((await refresh(off.refresh_token)).status, 200);
		});
	});

	describe("403", () => {
		it("ends the session when access to its application was removed", async () => {
			const member = await addPerson(service, "member");
			const { data: app } = await asAdmin("POST", "/api/v1/applications", { name: "Members" });
			const grant = `/api/v1/applications/${app.id}/grants/users/${member.id}`;
			await asAdmin("PUT", grant, { roles: [] });
			const tokens = await refreshed((await signIn(member, app.id)).refresh_token);
			assert.deepEqual(claimsOf(tokens.access_token).aud, ["https://localhost:8443", app.id]);
			await asAdmin("DELETE", grant);
			const response = await refresh(tokens.refresh_token, PROBLEM);
			assert.equal(response.status, 403);
			assert.equal(response.body.code, "application.access_denied");
			assert.equal(await isAlive(service, tokens.access_token), false);
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
			const events = await auditOf(service, `user:${member.id}`);
			const [last] = events.slice(-1);
			assert.equal(last?.action, "session.refresh_refused");
			assert.equal(last?.details.reason, "application.access_denied");
		});

		it("ends a session without a second factor that is required in the meantime, and keeps one with it", async () => {
			const { data: app } = await asAdmin("POST", "/api/v1/applications", {
				name: "Strict",
				access_policy: "open",
			});
			const member = await addPerson(service, "strict-member");
			const [without, elsewhere] = [await signIn(member, app.id), await signIn(member)];
			const enrolled = await enrollTotp(service, { ...member, token: without.access_token });
			const proved = await signInWithTotp(service, enrolled, { app_id: app.id });
			await asAdmin("PATCH", `/api/v1/applications/${app.id}`, { require_mfa: true });
			const response = await refresh(without.refresh_token, PROBLEM);
			assert.deepEqual([response.status, response.body.code], [403, "mfa.required"]);
			assert.equal(await isAlive(service, without.access_token), false);
			assert.equal((await refresh(proved.refresh_token)).status, 200);
			const kept = await refreshed(elsewhere.refresh_token);
			const admin = await service.adminToken();
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

		it("ends the session of an account that was disabled in the meantime", async () => {
			const member = await addPerson(service, "disabled-member");
			const tokens = await signIn(member);
			// Disabling through the API revokes sessions. Writing to the database simulates a concurrent refresh.
			await disableBehindTheService(member.id);
			const response = await refresh(tokens.refresh_token, PROBLEM);
			assert.equal(response.status, 403);
			assert.equal(response.body.code, "account.disabled");
			assert.equal((await refresh(tokens.refresh_token)).status, 401);
		});
	});

	async function disableBehindTheService(id: string): Promise<void> {
		await using engine = await service.openDatabase();
		await engine.queries.run("UPDATE users SET status = 'disabled' WHERE id = $1", id);
	}
});

describe("POST /api/v1/auth/logout", () => {
	describe("204", () => {
		it("ends only the session of the token, at once, and audits it", async () => {
			const person = await addPerson(service, "leaving");
			const other = await signInAgain(service, person);
			const response = await service.call("POST", LOGOUT, { token: person.token });
			assert.equal(response.status, 204);
			assert.equal(response.body, undefined);
			assert.equal(await isAlive(service, person.token), false);
			assert.equal(await isAlive(service, other), true);
			const [last] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.equal(last?.action, "user.signed_out");
			assert.equal(last?.actor, `user:${person.id}`);
		});

		it("ignores any body", async () => {
			const person = await addPerson(service, "chatty");
			const response = await service.call("POST", LOGOUT, { token: person.token, body: "{ not json" });
			assert.equal(response.status, 204);
		});

		it("ends a session once for ten concurrent requests", async () => {
			const person = await addPerson(service, "impatient");
			const responses = await Promise.all(
				Array.from({ length: 10 }, () => service.call("POST", LOGOUT, { token: person.token })),
			);
			for (const { status } of responses) assert.ok(status === 204 || status === 401);
			const events = await auditOf(service, `user:${person.id}`);
			assert.equal(events.filter(({ action }) => action === "user.signed_out").length, 1);
		});
	});

	describe("401", () => {
		it("refuses the token of a session that has ended", async () => {
			const person = await addPerson(service, "twice");
			await service.call("POST", LOGOUT, { token: person.token });
			const response = await service.call("POST", LOGOUT, { token: person.token });
			assert.equal(response.status, 401);
			assert.equal(response.headers["www-authenticate"], "Bearer");
		});
	});
});

describe("Bearer tokens", () => {
	const person = fixture(() => addPerson(service, "bearer"));

	const me = (authorization: string | string[]): Promise<CallResponse> =>
		service.call("GET", ME, { headers: { authorization } });
	const assertRefused = (response: CallResponse, what = ""): void => {
		assert.equal(response.status, 401, what);
		assert.equal(response.headers["www-authenticate"], "Bearer", what);
		assert.deepEqual(Object.keys(response.body), ["error"], what);
	};

	it("accepts the scheme in any case, with several spaces after it", async () => {
		for (const scheme of ["Bearer", "bearer", "BEARER"])
			assert.equal((await me(`${scheme} ${person.token}`)).status, 200);
		assert.equal((await me(`Bearer   ${person.token}`)).status, 200);
	});

	it("refuses a missing, empty or malformed header", async () => {
		assertRefused(await service.call("GET", ME));
		for (const value of [
			"",
			"Bearer",
			"Bearer ",
			person.token,
			`Basic ${person.token}`,
			`Bearer ${person.token} ${person.token}`,
			`Bearer ${person.token},`,
			`Bearer: ${person.token}`,
			`Bearer\t${person.token}`,
			`Bearer "${person.token}"`,
		])
			assertRefused(await me(value), value.slice(0, 20));
	});

	it("refuses two Authorization headers, even two valid ones", async () => {
		assertRefused(await me([`Bearer ${person.token}`, `Bearer ${person.token}`]));
		const raw = `GET ${ME} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.token}\r\nauthorization: Bearer x\r\nConnection: close\r\n\r\n`;
		assert.match(await exchange(service.httpPort, raw), /^HTTP\/1\.1 401 /);
	});

	it("refuses a token in the query or in a cookie", async () => {
		assertRefused(await service.call("GET", `${ME}?access_token=${person.token}`));
		assertRefused(await service.call("GET", ME, { headers: { cookie: `access_token=${person.token}` } }));
	});

	it("refuses a token after fifteen minutes, even one that it has accepted", async () => {
		const token = await signInAgain(service, person);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(15 * MINUTE_MS - SECOND_MS);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(SECOND_MS);
		assertRefused(await me(`Bearer ${token}`));
	});

	it("refuses the token of a disabled and of a deleted user at once", async () => {
		for (const [name, method, body] of [
			["disabled", "PATCH", { status: "disabled" }],
			["deleted", "DELETE", undefined],
		] as const) {
			const { id, token } = await addPerson(service, name);
			assert.equal((await me(`Bearer ${token}`)).status, 200);
			await service.asAdmin(method, `/api/v1/users/${id}`, body);
			assertRefused(await me(`Bearer ${token}`), name);
		}
	});

	it("checks the current roles", async () => {
		const { id, token } = await addPerson(service, "rising");
		const users = () => service.call("GET", "/api/v1/users", { token });
		const refused = await users();
		assert.equal(refused.status, 403);
		assert.equal(refused.headers["www-authenticate"], undefined);
		await service.asAdmin("PATCH", `/api/v1/users/${id}`, { roles: ["auditor"] });
		assert.equal((await users()).status, 200);
		await service.asAdmin("PATCH", `/api/v1/users/${id}`, { roles: [] });
		assert.equal((await users()).status, 403);
	});
});

/** Sends one raw request; resolves with the complete response. */
function exchange(port: number, request: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = net.connect(port, "127.0.0.1", () => socket.write(request));
		let response = "";
		socket.setEncoding("utf8");
		socket.on("data", (chunk) => {
			response += chunk;
		});
		socket.on("end", () => resolve(response));
		socket.on("error", reject);
	});
}
