import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, SECOND_MS } from "../../src/kernel/clock.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { addPerson, isAlive, type Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import type { CallOptions, CallResponse, TestService } from "../harness/service/service.ts";

const LOGIN = "/api/v1/auth/login";
const REFRESH = "/api/v1/auth/refresh";
const LOGOUT = "/api/v1/auth/logout";
const IN_COOKIE = { "x-session": "cookie" };
const PROBLEM = { accept: "application/problem+json" };
const CLEARED = "__Host-latchkey=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0";

interface Tokens {
	readonly access_token: string;
	readonly refresh_token?: string;
	readonly refresh_expires_in: number;
}
type TokenBody = { readonly data: Tokens };

/** `name=value` of the only cookie that a response sets. */
function cookieOf({ headers }: CallResponse<unknown>): string {
	const [cookie = "", ...others] = headers["set-cookie"] ?? [];
	assert.deepEqual(others, []);
	assert.match(
		cookie,
		/^__Host-latchkey=[A-Za-z0-9_-]{91}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
	);
	return cookie.split(";", 1)[0] as string;
}

describe("the session of a browser", () => {
	const service = testService();
	const ada = fixture(() => addPerson(service, "ada"));

	/** Calls the service like one of its pages. */
	const fromPage = <Body = TokenBody>(method: string, path: string, options: CallOptions = {}) => {
		const headers = { origin: service.httpsUrl, ...options.headers };
		return service.call<Body>(method, path, { ...options, https: true, headers });
	};
	const signIn = async (
		{ username, password }: Pick<Person, "username" | "password"> = ada,
		headers = {},
	) => {
		const body = { username, password };
		const response = await fromPage("POST", LOGIN, { body, headers: { ...IN_COOKIE, ...headers } });
		assert.equal(response.status, 200);
		return { cookie: cookieOf(response), tokens: response.body.data, response };
	};
	const refresh = (cookie: string, headers = {}) =>
		fromPage("POST", REFRESH, { headers: { cookie, ...headers } });

	describe("sign-in", () => {
		it("sets the cookie until the session expires, and omits the refresh token", async () => {
			const { tokens, response } = await signIn();
			assert.equal(tokens.refresh_token, undefined);
			assert.equal(tokens.refresh_expires_in, 604_800);
			assert.match(String(response.headers["set-cookie"]), /Max-Age=604800$/);
			assert.equal(response.headers["cache-control"], "no-store");
			assert.equal(await isAlive(service, tokens.access_token), true);
		});

		it("returns the token in the body and no cookie without the header", async () => {
			const { username, password } = ada;
			const response = await fromPage("POST", LOGIN, { body: { username, password } });
			assert.match(response.body.data.refresh_token ?? "", /^[A-Za-z0-9_-]{91}$/);
			assert.equal(response.headers["set-cookie"], undefined);
		});

		it("is refused before the password is checked: from another origin, over plain HTTP, with another value", async () => {
			const body = { username: ada.username, password: ada.password };
			const call = (headers: Record<string, string | string[]>, https = true) =>
				service.call("POST", LOGIN, { body, https, headers: { ...PROBLEM, ...headers } });
			for (const origin of foreignOrigins(service)) {
				const response = await call({ ...IN_COOKIE, ...origin });
				assert.equal(response.status, 403, JSON.stringify(origin));
				assert.equal(response.body.code, "origin.not_allowed");
				assert.equal(response.headers["set-cookie"], undefined);
			}
			const plain = await call({ ...IN_COOKIE, origin: service.httpUrl }, false);
			assert.equal(plain.status, 426);
			assert.equal(plain.body.code, "transport.https_required");
			for (const mode of ["Cookie", "body", "", "cookie, cookie"]) {
				const response = await call({ "x-session": mode, origin: service.httpsUrl });
				assert.equal(response.status, 400, mode);
				assert.equal(response.body.errors[0]?.field, "X-Session");
			}
		});
	});

	describe("refresh", () => {
		it("accepts the cookie without a body, and rotates it", async () => {
			const first = await signIn();
			const response = await refresh(first.cookie);
			assert.equal(response.status, 200);
			assert.equal(response.body.data.refresh_token, undefined);
			assert.equal(response.headers["cache-control"], "no-store");
			const second = cookieOf(response);
			assert.notEqual(second, first.cookie);
			assert.equal((await refresh(second, IN_COOKIE)).status, 200);
		});

		it("gives two tabs the same successor within ten seconds", async () => {
			const { cookie } = await signIn();
			const responses = await Promise.all([refresh(cookie, IN_COOKIE), refresh(cookie, IN_COOKIE)]);
			const [one, two] = responses.map(cookieOf) as [string, string];
			assert.equal(one, two);
			service.clock.advance(9 * SECOND_MS);
			assert.equal(cookieOf(await refresh(cookie)), one);
		});

		it("prefers a token in the body, and returns its successor as requested", async () => {
			const { cookie } = await signIn();
			const { username, password } = ada;
			const other = await fromPage("POST", LOGIN, { body: { username, password } });
			const body = { refresh_token: other.body.data.refresh_token };
			const inBody = await fromPage("POST", REFRESH, { body, headers: { cookie } });
			assert.match(inBody.body.data.refresh_token ?? "", /^[A-Za-z0-9_-]{91}$/);
			assert.equal(inBody.headers["set-cookie"], undefined);
			const moved = await fromPage("POST", REFRESH, { body, headers: IN_COOKIE });
			assert.equal(cookieOf(moved), `__Host-latchkey=${inBody.body.data.refresh_token}`);
			assert.equal((await refresh(cookie)).status, 200);
		});

		it("returns 204 for a browser without a session", async () => {
			for (const cookie of ["", "theme=dark", "__Host-latchkey="]) {
				const response = await refresh(cookie, IN_COOKIE);
				assert.equal(response.status, 204, cookie);
				assert.equal(response.body, undefined);
				assert.equal(response.headers["set-cookie"], undefined);
			}
		});

		it("clears the cookie of a revoked session, a used token, or an invalid value", async () => {
			const ended = await signIn();
			await service.call("POST", LOGOUT, { token: ended.tokens.access_token });
			const stolen = await signIn();
			assert.equal((await refresh(stolen.cookie)).status, 200);
			service.clock.advance(11 * SECOND_MS);
			const old = await signIn();
			service.clock.advance(7 * DAY_MS);
			for (const cookie of [ended.cookie, stolen.cookie, old.cookie, `__Host-latchkey=${"x".repeat(900)}`]) {
				const response = await refresh(cookie, IN_COOKIE);
				assert.equal(response.status, 401);
				assert.deepEqual(response.headers["set-cookie"], [CLEARED]);
			}
		});

		it("clears the cookie after the account was disabled", async () => {
			const leaver = await addPerson(service, "leaver");
			const { cookie } = await signIn(leaver);
			const token = await service.tokenOf("admin", "correct horse battery staple");
			// The token of a revoked session is unknown; this one is refused because of the account.
			const patched = await service.call("PATCH", `/api/v1/users/${leaver.id}`, {
				token,
				body: { status: "disabled" },
			});
			assert.equal(patched.status, 200);
			const response = await refresh(cookie);
			assert.ok([401, 403].includes(response.status));
			assert.deepEqual(response.headers["set-cookie"], [CLEARED]);
		});

		it("refuses the cookie from another origin and over plain HTTP, and keeps it valid", async () => {
			const { cookie } = await signIn();
			for (const asked of [{}, IN_COOKIE]) {
				for (const origin of foreignOrigins(service)) {
					const headers = { ...PROBLEM, ...asked, ...origin, cookie };
					const response = await service.call("POST", REFRESH, { https: true, headers });
					assert.equal(response.status, 403, JSON.stringify(origin));
					assert.equal(response.body.code, "origin.not_allowed");
					assert.equal(response.headers["set-cookie"], undefined);
				}
				const headers = { ...asked, origin: service.httpUrl, cookie };
				assert.equal((await service.call("POST", REFRESH, { headers })).status, 426);
			}
			assert.equal((await refresh(cookie)).status, 200);
		});

		it("refuses content types other than JSON, and ignores a cookie sent twice", async () => {
			const { cookie } = await signIn();
			for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
				const headers = { cookie, "content-type": type };
				assert.equal((await fromPage("POST", REFRESH, { body: "a=b", headers })).status, 400, type);
			}
			assert.equal((await refresh(`${cookie}; __Host-latchkey=other`, IN_COOKIE)).status, 204);
			assert.equal((await refresh(cookie)).status, 200);
		});
	});

	describe("sign-out", () => {
		it("revokes the session of the cookie and clears it, even repeatedly and without a session", async () => {
			const { cookie, tokens } = await signIn();
			for (const headers of [{ cookie }, { cookie, ...IN_COOKIE }, { ...IN_COOKIE }]) {
				const response = await fromPage("POST", LOGOUT, { headers });
				assert.equal(response.status, 204);
				assert.deepEqual(response.headers["set-cookie"], [CLEARED]);
			}
			assert.equal(await isAlive(service, tokens.access_token), false);
			assert.equal((await refresh(cookie)).status, 401);
		});

		it("revokes the session of a cookie that another tab has rotated", async () => {
			const { cookie, tokens } = await signIn();
			await refresh(cookie);
			assert.equal((await fromPage("POST", LOGOUT, { headers: { cookie } })).status, 204);
			assert.equal(await isAlive(service, tokens.access_token), false);
		});

		it("prefers the access token", async () => {
			const mine = await signIn();
			const other = await signIn();
			const headers = { cookie: other.cookie };
			const token = mine.tokens.access_token;
			const response = await fromPage("POST", LOGOUT, { token, headers });
			assert.equal(response.status, 204);
			assert.equal(response.headers["set-cookie"], undefined);
			assert.equal(await isAlive(service, mine.tokens.access_token), false);
			assert.equal(await isAlive(service, other.tokens.access_token), true);
		});

		it("is refused from another origin, and keeps the session", async () => {
			const { cookie, tokens } = await signIn();
			for (const origin of foreignOrigins(service)) {
				const headers = { ...PROBLEM, ...origin, cookie };
				const response = await service.call("POST", LOGOUT, { https: true, headers });
				assert.equal(response.status, 403, JSON.stringify(origin));
				assert.equal(response.body.code, "origin.not_allowed");
			}
			assert.equal(await isAlive(service, tokens.access_token), true);
		});

		it("clears the cookie when the current session is revoked by id, or the account is deleted", async () => {
			const gone = await addPerson(service, "gone");
			const first = await signIn(gone);
			const token = first.tokens.access_token;
			const listed = await service.call("GET", "/api/v1/users/me/sessions", { token });
			const end = async (current: boolean) => {
				const session = listed.body.data.find((each) => each.current === current);
				return fromPage("DELETE", `/api/v1/users/me/sessions/${session?.id}`, { token, headers: IN_COOKIE });
			};
			assert.equal((await end(false)).headers["set-cookie"], undefined);
			assert.deepEqual((await end(true)).headers["set-cookie"], [CLEARED]);
			const last = (await signIn(gone)).tokens.access_token;
			const options = { token: last, body: { password: gone.password }, headers: IN_COOKIE };
			const deleted = await fromPage("DELETE", "/api/v1/users/me", options);
			assert.equal(deleted.status, 204);
			assert.deepEqual(deleted.headers["set-cookie"], [CLEARED]);
		});
	});

	it("authenticates no other route", async () => {
		const { cookie } = await signIn({ username: "admin", password: "correct horse battery staple" });
		const taking = ["POST /api/v1/auth/logout", "PUT /api/v1/users/me"];
		let probed = 0;
		for (const { method, path, guard } of await mapOfRoutes()) {
			if (guard.security === "none" || taking.includes(`${method} ${path}`)) continue;
			const target = path.replaceAll(/\{\w+\}/g, ABSENT_ID);
			for (const headers of [{ cookie }, { cookie, ...IN_COOKIE }]) {
				const response = await fromPage<unknown>(method, target, { headers });
				assert.equal(response.status, 401, `${method} ${path}`);
			}
			probed++;
		}
		assert.ok(probed > 80, String(probed));
		assert.equal((await refresh(cookie)).status, 200);
	});

	it("is used by every endpoint that returns a refresh token", async () => {
		const routes = (await mapOfRoutes()).filter(({ endpoint }) =>
			JSON.stringify(endpoint.response.schema ?? "").includes('"refresh_token"'),
		);
		assert.ok(routes.length >= 8);
		for (const { endpoint } of routes)
			assert.match(endpoint.session ?? "", /^(?:opens|opens in cookie|renews)$/, endpoint.name);
	});

	it("is refused alike by every endpoint that uses sessions", async () => {
		const token = await service.tokenOf("admin", "correct horse battery staple");
		const routes = (await mapOfRoutes()).filter(({ endpoint }) => endpoint.session !== undefined);
		for (const { method, path } of routes) {
			const target = path.replaceAll(/\{\w+\}/g, ABSENT_ID);
			const call = async (mode: string, origin: string) => {
				const headers = { ...PROBLEM, "x-session": mode, origin };
				const response = await service.call(method, target, { token, https: true, headers, body: {} });
				return [response.status, response.body.code];
			};
			const name = `${method} ${path}`;
			assert.deepEqual(await call("cookie", "https://evil.example"), [403, "origin.not_allowed"], name);
			assert.deepEqual(await call("body", service.httpsUrl), [400, "request.invalid"], name);
		}
	});

	it("belongs to the tenant of its sign-in, and a sign-in to another tenant replaces it", async () => {
		const other = await addSecondTenant(service);
		const mine = await signIn();
		const theirs = await signIn(other.admin, { "x-tenant-id": other.id, cookie: mine.cookie });
		assert.equal(cookieName(theirs.cookie), cookieName(mine.cookie));
		const response = await fromPage<{ data: { user: { tenant_id: string } } }>("POST", REFRESH, {
			headers: { cookie: theirs.cookie },
		});
		assert.equal(response.body.data.user.tenant_id, other.id);
	});

	it("is never logged", async () => {
		const { cookie } = await signIn();
		const successor = cookieOf(await refresh(cookie));
		await service.call("POST", REFRESH, { https: true, headers: { cookie: successor } });
		for (const pair of [cookie, successor]) assert.ok(!service.logs().includes(pair.split("=")[1] as string));
	});
});

describe("the session of a browser behind a proxy", () => {
	const PUBLIC = "https://auth.example.com";
	const service = testService({
		env: { LATCHKEY_PUBLIC_URL: PUBLIC, LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" },
	});

	it("uses the scheme that the proxy reports, and only the origin of LATCHKEY_PUBLIC_URL", async () => {
		const call = async (proto: string, origin: string, https = false) => {
			const headers = { ...PROBLEM, ...IN_COOKIE, "x-forwarded-proto": proto, origin };
			const body = { username: "admin", password: "correct horse battery staple" };
			const response = await service.call("POST", LOGIN, { body, headers, https });
			return response.headers["set-cookie"] === undefined ? response.body.code : response.status;
		};
		assert.equal(await call("https", PUBLIC), 200);
		assert.equal(await call("http, https", PUBLIC), 200);
		assert.equal(await call("http", PUBLIC), "transport.https_required");
		assert.equal(await call("https, http", PUBLIC, true), "transport.https_required");
		assert.equal(await call("https", service.httpsUrl, true), "origin.not_allowed");
		assert.equal(await call("https", "http://auth.example.com"), "origin.not_allowed");
	});
});

function cookieName(pair: string): string {
	return pair.split("=", 1)[0] as string;
}

/** Headers from another site, a sandboxed frame, a non-browser client, and another port or scheme. */
function foreignOrigins({ httpsUrl, httpUrl }: TestService): Record<string, string | string[]>[] {
	return [
		{ origin: "https://evil.example" },
		{ origin: "null" },
		{},
		{ origin: "" },
		{ origin: httpUrl },
		{ origin: "https://127.0.0.1:3000" },
		{ origin: `${httpsUrl}.evil.example` },
		{ origin: [httpsUrl, httpsUrl] },
	];
}
