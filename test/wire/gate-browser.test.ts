// Users with a browser at an application on another host: sign-in, session, and sign-out.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { APPLICATIONS, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY, browserCookie, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addPerson } from "../harness/people/people.ts";
import { enrollTotp, MFA, nextCode, passwordStep } from "../harness/people/second-factors.ts";
import { addTenant, TENANT_ADMIN_PASSWORD } from "../harness/people/tenants.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { CallResponse, TestService } from "../harness/service/service.ts";

const PUBLIC_URL = "https://localhost:8443";
const DAY_MS = 86_400_000;
const RULES = [
	{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
	{ methods: ["POST"], path: "/orders/*", needs: "orders:read" },
	{ path: "/open", needs: "public" },
];

let shops = 0;

/** An application with its own host and a gate. */
async function shop(service: TestService) {
	const { id } = await addApplication(service);
	await addRole(service, id, "reader", ["orders:read"]);
	const origin = `https://shop-${++shops}.example`;
	const gate = (await addGate(service, { rules: RULES, browser_origin: origin }, id)) as KeyedGate;
	return { id, origin, gate };
}
type Shop = Awaited<ReturnType<typeof shop>>;

interface Sent {
	readonly method?: string;
	readonly cookie?: string;
	readonly origin?: string;
	readonly key?: string;
	readonly proto?: string;
}

/** What the proxy of the shop forwards for `/.latchkey/<path>`. */
function atShop(
	service: TestService,
	{ gate }: Pick<Shop, "gate">,
	path: string,
	{ method = "GET", cookie, origin, key = gate.gate_key, proto = "https" }: Sent = {},
): Promise<CallResponse<unknown>> {
	return service.call<unknown>(method, `/gate/${gate.application_id}/browser/${path}`, {
		headers: {
			"x-gate-key": key,
			"x-forwarded-for": "203.0.113.9",
			"x-forwarded-proto": proto,
			...(cookie !== undefined && { cookie }),
			...(origin !== undefined && { origin }),
		},
	});
}

/** A request of the browser to this service itself. */
function atService(service: TestService, url: string, cookie?: string): Promise<CallResponse<unknown>> {
	assert.ok(url.startsWith(PUBLIC_URL), url);
	return service.call<unknown>("GET", url.slice(PUBLIC_URL.length), {
		https: true,
		headers: cookie === undefined ? {} : { cookie },
	});
}

function locationOf({ status, headers }: CallResponse<unknown>): string {
	assert.equal(status, 303);
	return String(headers.location);
}

/** `name=value` of a cookie that a response sets. */
function cookieOf({ headers }: CallResponse<unknown>, name: string): string {
	const set = headers["set-cookie"]?.find((line) => line.startsWith(`${name}=`));
	assert.ok(set, `the response sets no ${name}`);
	return set.split(";", 1)[0] as string;
}

const pathAtShop = (url: string, { origin }: Shop): string => {
	assert.ok(url.startsWith(`${origin}/.latchkey/`), url);
	return url.slice(`${origin}/.latchkey/`.length);
};

/** Up to the callback, which has not been sent. */
async function begin(service: TestService, at: Shop, person: string, to = "/orders/1") {
	const started = await atShop(service, at, `sign-in?to=${encodeURIComponent(to)}`);
	const state = cookieOf(started, "__Host-latchkey-gate-state");
	const entered = await atService(service, locationOf(started), person);
	return { state, callback: pathAtShop(locationOf(entered), at) };
}

async function signIn(service: TestService, at: Shop, person: string): Promise<string> {
	const { state, callback } = await begin(service, at, person);
	return cookieOf(await atShop(service, at, callback, { cookie: state }), "__Host-latchkey-gate");
}

describe("a browser at an application with another host", () => {
	const service = testService({ env: BEHIND_PROXY });
	const at = fixture(() => shop(service));
	const ada = fixture(async () => {
		const person = await addPerson(service, "browsing-ada");
		await putGrant(service, at.id, person.id, ["reader"]);
		return { ...person, cookie: await browserCookie(service, person) };
	});
	const asked = (cookie: string, more: Parameters<typeof ask>[3] = {}) =>
		ask(service, at.gate, "/orders/1", { ...more, headers: { cookie, ...more.headers } });

	describe("signs in", () => {
		it("with one sign-in for two hosts, and returns to the page", async () => {
			const started = await atShop(service, at, "sign-in?to=%2Forders%2F1%3Fx%3D%252F");
			const [set = ""] = started.headers["set-cookie"] ?? [];
			assert.match(
				set,
				/^__Host-latchkey-gate-state=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
			);
			const state = cookieOf(started, "__Host-latchkey-gate-state");
			const entered = await atService(service, locationOf(started), ada.cookie);
			const callback = pathAtShop(locationOf(entered), at);
			const finished = await atShop(service, at, callback, { cookie: state });
			assert.equal(locationOf(finished), `${at.origin}/orders/1?x=%2F`);
			assert.match(
				String(finished.headers["set-cookie"]),
				/^__Host-latchkey-gate=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
			);
			const passed = await asked(cookieOf(finished, "__Host-latchkey-gate"));
			assert.equal(passed.outcome, `200 person:${ada.id}`);
		});

		it("at the sign-in page without a session, which returns here", async () => {
			const started = await atShop(service, at, "sign-in");
			const url = new URL(locationOf(await atService(service, locationOf(started))));
			assert.equal(`${url.origin}${url.pathname}`, `${PUBLIC_URL}/sign-in`);
			const back = url.searchParams.get("return_to") ?? "";
			assert.equal(`${PUBLIC_URL}${back}`, locationOf(started));
			assert.equal(url.searchParams.get("tenant"), null);
		});

		it("with a second factor where the rule needs one", async () => {
			const put = (rules: object[]) =>
				service.asAdmin("PUT", `${APPLICATIONS}/${at.id}/gate`, { rules, browser_origin: at.origin });
			await put([{ path: "/vault", needs: "signed-in", mfa: true }, ...RULES]);
			const bea = await addPerson(service, "browsing-bea");
			await putGrant(service, at.id, bea.id, ["reader"]);
			const vault = (cookie: string, accept = "text/html,*/*") =>
				ask(service, at.gate, "/vault?a=1", { headers: { accept, cookie } });
			const own = await browserCookie(service, bea);
			const weak = await signIn(service, at, own);
			const refused = await vault(weak);
			assert.equal(refused.outcome, "401 mfa.required");
			const toSignIn = refused.headers.location ?? "";
			assert.equal(toSignIn, `${at.origin}/.latchkey/sign-in?to=%2Fvault%3Fa%3D1&mfa=1`);
			assert.equal((await vault(weak, "application/json")).headers.location, undefined);

			const started = await atShop(service, at, pathAtShop(toSignIn, at));
			const state = cookieOf(started, "__Host-latchkey-gate-state");
			const asked = new URL(locationOf(await atService(service, locationOf(started), own)));
			assert.equal(asked.pathname, "/sign-in");
			assert.equal(asked.searchParams.get("second_factor"), at.id);
			assert.equal(`${PUBLIC_URL}${asked.searchParams.get("return_to")}`, locationOf(started));

			const strong = await enrollTotp(service, bea);
			const mfa_token = await passwordStep(service, strong);
			const signedIn = await service.call<unknown>("POST", MFA, {
				https: true,
				body: { mfa_token, method: "totp", code: nextCode(service, strong.secret) },
				headers: { origin: service.httpsUrl, "x-session": "cookie" },
			});
			const withFactor = cookieOf(signedIn, "__Host-latchkey");
			const callback = pathAtShop(locationOf(await atService(service, locationOf(started), withFactor)), at);
			const finished = await atShop(service, at, callback, { cookie: state });
			assert.equal(locationOf(finished), `${at.origin}/vault?a=1`);
			const passed = await vault(cookieOf(finished, "__Host-latchkey-gate"));
			assert.equal(passed.outcome, `200 person:${bea.id}`);
			await put(RULES);
		});

		it("in several tabs at once", async () => {
			const first = await atShop(service, at, "sign-in?to=/orders/1");
			const state = cookieOf(first, "__Host-latchkey-gate-state");
			const second = await atShop(service, at, "sign-in?to=/orders/2", { cookie: state });
			for (const [started, page] of [
				[first, "/orders/1"],
				[second, "/orders/2"],
			] as const) {
				const entered = await atService(service, locationOf(started), ada.cookie);
				const callback = pathAtShop(locationOf(entered), at);
				const finished = await atShop(service, at, callback, { cookie: state });
				assert.equal(locationOf(finished), `${at.origin}${page}`);
			}
		});

		it("where a page was refused: 401 with Location, or 302 with redirect=1", async () => {
			const html = { accept: "text/html,*/*;q=0.8" };
			const to = `${at.origin}/.latchkey/sign-in?to=${encodeURIComponent("/orders/1?a=b&c")}`;
			const target = "/orders/1?a=b&c";
			const refused = await ask(service, at.gate, target, { headers: html });
			assert.deepEqual([refused.outcome, refused.headers.location], ["401 token.missing", to]);
			const broken = await ask(service, at.gate, target, { headers: { ...html, authorization: "Bearer x" } });
			assert.deepEqual([broken.outcome, broken.headers.location], ["401 token.invalid", to]);
			const path = `/gate/${at.gate.application_id}?redirect=1`;
			const headers = {
				"x-gate-key": at.gate.gate_key,
				"x-forwarded-proto": "https",
				"x-forwarded-method": "GET",
				"x-forwarded-uri": target,
				...html,
			};
			const redirected = await service.call<unknown>("GET", path, { headers });
			assert.deepEqual(
				[redirected.status, redirected.headers.location, redirected.headers["latchkey-status"]],
				[302, to, "302"],
			);
			for (const other of [
				{ headers: { accept: "application/json" } },
				{ headers: { ...html, upgrade: "websocket" } },
				{ method: "POST", headers: html },
			])
				assert.equal((await ask(service, at.gate, target, other)).headers.location, undefined);
			const post = { ...headers, "x-forwarded-method": "POST" };
			assert.equal((await service.call<unknown>("GET", path, { headers: post })).status, 401);
		});
	});

	describe("refuses", () => {
		const refusedCode = async (response: Promise<CallResponse<unknown>>): Promise<void> => {
			const { status, body, headers } = await response;
			assert.equal(status, 401);
			assert.match(JSON.stringify(body), /invalid, expired, or already used/);
			assert.equal(headers["set-cookie"], undefined);
		};

		it("a callback in another browser, without using the code up", async () => {
			const { state, callback } = await begin(service, at, ada.cookie);
			await refusedCode(atShop(service, at, callback));
			await refusedCode(atShop(service, at, callback, { cookie: "__Host-latchkey-gate-state=" }));
			const other = cookieOf(await atShop(service, at, "sign-in"), "__Host-latchkey-gate-state");
			await refusedCode(atShop(service, at, callback, { cookie: other }));
			await refusedCode(atShop(service, at, callback, { cookie: `${state}; ${other}` }));
			assert.equal((await atShop(service, at, callback, { cookie: state })).status, 303);
		});

		it("a code for a browser without a cookie, whose challenge is the digest of nothing", async () => {
			const challenge = createHash("sha256").digest("base64url");
			const url = `${PUBLIC_URL}/gate/${at.id}/enter?challenge=${challenge}&to=%2F`;
			const callback = pathAtShop(locationOf(await atService(service, url, ada.cookie)), at);
			await refusedCode(atShop(service, at, callback));
			await refusedCode(atShop(service, at, callback, { cookie: "__Host-latchkey-gate-state=" }));
		});

		it("all but one of 20 concurrent uses of a code", async () => {
			const { state, callback } = await begin(service, at, ada.cookie);
			const uses = Array.from({ length: 20 }, () => atShop(service, at, callback, { cookie: state }));
			const statuses = (await Promise.all(uses)).map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 303).length, 1);
			assert.equal(statuses.filter((status) => status === 401).length, 19);
		});

		it("a code after 60 seconds, at another gate, changed, and after the sign-in ended", async () => {
			const late = await begin(service, at, ada.cookie);
			service.clock.advance(61_000);
			await refusedCode(atShop(service, at, late.callback, { cookie: late.state }));

			const other = await shop(service);
			const foreign = await begin(service, at, ada.cookie);
			await refusedCode(atShop(service, other, foreign.callback, { cookie: foreign.state }));
			const changed = foreign.callback.replace(/.{4}$/, "AAAA");
			await refusedCode(atShop(service, at, changed, { cookie: foreign.state }));
			await service.asAdmin("PUT", `${APPLICATIONS}/${at.id}/gate`, {
				rules: RULES,
				browser_origin: `${at.origin}:444`,
			});
			await refusedCode(atShop(service, at, foreign.callback, { cookie: foreign.state }));
			await service.asAdmin("PUT", `${APPLICATIONS}/${at.id}/gate`, {
				rules: RULES,
				browser_origin: at.origin,
			});

			const ben = await addPerson(service, "browsing-ben");
			const cookie = await browserCookie(service, ben);
			const ended = await begin(service, at, cookie);
			await service.asAdmin("POST", `/api/v1/users/${ben.id}/sessions/revoke`);
			await refusedCode(atShop(service, at, ended.callback, { cookie: ended.state }));
		});

		it("to return to another origin", async () => {
			for (const to of [
				"https://evil.example/",
				"//evil.example",
				"/\\evil.example",
				"/\t/evil.example",
				"\\\\evil.example",
				"javascript:alert(1)",
				"",
				`/${"a".repeat(2_048)}`,
			]) {
				const begun = await atShop(service, at, `sign-in?to=${encodeURIComponent(to)}`);
				assert.equal(begun.status, 400, to);
				const query = new URLSearchParams({ challenge: "a".repeat(43), to });
				const entered = await atService(service, `${PUBLIC_URL}/gate/${at.id}/enter?${query}`, ada.cookie);
				assert.equal(entered.status, 400, to);
			}
			// Resolved once: a second resolution would leave the origin.
			const { state, callback } = await begin(service, at, ada.cookie, "/.//evil.example");
			const finished = await atShop(service, at, callback, { cookie: state });
			assert.equal(locationOf(finished), `${at.origin}//evil.example`);
		});

		it("a missing key, plain HTTP, a key in the query, and a gate without an origin", async () => {
			assert.equal((await atShop(service, at, "sign-in", { key: "gk_wrong" })).status, 401);
			assert.equal((await atShop(service, at, "sign-in", { proto: "http" })).status, 426);
			assert.equal((await atShop(service, at, "sign-in?x-gate-key=gk_1")).status, 400);
			const plain = { gate: (await addGate(service, { rules: RULES })) as KeyedGate };
			assert.equal((await atShop(service, plain, "sign-in")).status, 404);
			const enter = (id: string) =>
				atService(service, `${PUBLIC_URL}/gate/${id}/enter?challenge=${"a".repeat(43)}&to=/`, ada.cookie);
			const missing = await enter("01980000-0000-7000-8000-000000000000");
			const hidden = await enter(plain.gate.application_id);
			assert.deepEqual([missing.status, missing.body], [hidden.status, hidden.body]);
			assert.equal(missing.status, 404);
		});

		it("people of another tenant", async () => {
			const tenant = await addTenant(service);
			const login = await service.call<unknown>("POST", "/api/v1/auth/login", {
				https: true,
				body: { username: tenant.admin.username, password: TENANT_ADMIN_PASSWORD },
				headers: { origin: service.httpsUrl, "x-session": "cookie", "x-tenant-id": tenant.id },
			});
			const cookie = String(login.headers["set-cookie"]?.[0]).split(";", 1)[0];
			const started = await atShop(service, at, "sign-in");
			assert.equal((await atService(service, locationOf(started), cookie)).status, 403);
		});

		it("the cookie of this service, of another gate, and as a refresh token", async () => {
			const cookie = await signIn(service, at, ada.cookie);
			const other = await shop(service);
			assert.equal((await asked(ada.cookie)).outcome, "401 token.missing");
			assert.equal(
				(await ask(service, other.gate, "/orders/1", { headers: { cookie } })).outcome,
				"401 session.ended",
			);
			const value = cookie.split("=")[1] ?? "";
			for (const refresh_token of [value, value.split(".")[1]]) {
				const { status } = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
				assert.equal(status, 401);
			}
			const [id = "", secret = ""] = value.split(".");
			const refreshToken = ada.cookie.split("=")[1] ?? "";
			for (const forged of [
				`${id}.${"A".repeat(91)}`,
				`${at.id}.${secret}`,
				`${id}.${refreshToken}`,
				secret,
				"x",
			])
				assert.equal((await asked(`__Host-latchkey-gate=${forged}`)).outcome, "401 session.ended");
		});

		it("cross-site changes and upgrades with the cookie", async () => {
			const cookie = await signIn(service, at, ada.cookie);
			const upgrade = { upgrade: "websocket" };
			for (const origin of [undefined, "https://evil.example", "null", PUBLIC_URL]) {
				const headers = origin === undefined ? {} : { origin };
				assert.equal((await asked(cookie, { method: "POST", headers })).outcome, "403 gate.origin");
				assert.equal(
					(await asked(cookie, { headers: { ...headers, ...upgrade } })).outcome,
					"403 gate.origin",
				);
			}
			const own = { origin: at.origin };
			assert.equal((await asked(cookie, { method: "POST", headers: own })).status, 200);
			assert.equal((await asked(cookie, { headers: { ...own, ...upgrade } })).status, 200);
		});
	});

	describe("signs out", () => {
		it("at the application: of both hosts, from its own pages only", async () => {
			const person = await browserCookie(service, ada);
			const cookie = await signIn(service, at, person);
			for (const origin of [undefined, "https://evil.example", PUBLIC_URL]) {
				const sent = { method: "POST", cookie, ...(origin !== undefined && { origin }) };
				assert.equal((await atShop(service, at, "sign-out", sent)).status, 403);
			}
			assert.equal((await atShop(service, at, "sign-out", { cookie, origin: at.origin })).status, 405);
			assert.equal((await asked(cookie)).status, 200);
			const ended = await atShop(service, at, "sign-out", { method: "POST", cookie, origin: at.origin });
			assert.equal(locationOf(ended), `${PUBLIC_URL}/signed-out`);
			assert.match(String(ended.headers["set-cookie"]), /^__Host-latchkey-gate=; .*Max-Age=0$/);
			assert.equal((await asked(cookie)).outcome, "401 session.ended");
			const started = await atShop(service, at, "sign-in");
			assert.match(locationOf(await atService(service, locationOf(started), person)), /\/sign-in\?/);
		});

		it("at this service, and when an administrator ends all sessions", async () => {
			const person = await browserCookie(service, ada);
			const cookie = await signIn(service, at, person);
			const { status } = await service.call("POST", "/api/v1/auth/logout", {
				https: true,
				headers: { cookie: person, origin: service.httpsUrl },
			});
			assert.equal(status, 204);
			assert.equal((await asked(cookie)).outcome, "401 session.ended");

			const again = await signIn(service, at, await browserCookie(service, ada));
			assert.equal((await asked(again)).status, 200);
			await service.asAdmin("POST", `/api/v1/users/${ada.id}/sessions/revoke`);
			assert.equal((await asked(again)).outcome, "401 session.ended");
		});

		it("after seven days without a request, and not before", async () => {
			const person = await browserCookie(service, ada);
			const cookie = await signIn(service, at, person);
			for (let days = 0; days < 12; days += 6) {
				service.clock.advance(6 * DAY_MS);
				assert.equal((await asked(cookie)).status, 200, `after ${days + 6} days`);
			}
			service.clock.advance(7 * DAY_MS + 1_000);
			assert.equal((await asked(cookie)).outcome, "401 session.ended");
		});
	});
});
