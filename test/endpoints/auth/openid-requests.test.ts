// What the pages request for an OpenID client: sign-in and consent, device codes, sign-out. What the client
// receives is tested in test/openid.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { rows } from "../../harness/access/access-requests.ts";
import {
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	idOf,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	startOpenIdService,
	TestBrowser,
} from "../../harness/openid/openid.ts";
import {
	addPerson,
	auditOf,
	type Person,
	signInAgain,
	signInToApplication,
} from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, setup } from "../../harness/runs/fixture.ts";

const INTERACTIONS = "/api/v1/auth/interactions";
const DEVICE_CODES = "/api/v1/auth/device-codes";
const SIGN_OUTS = "/api/v1/auth/sign-outs";
const BYE = "https://shop.example/bye";
const UNKNOWN = "abcdefghijklmnopqrstu";

const NATIVE = { type: "native", authMethod: "none" } as const;

let party: client.Configuration;
// With a stopped clock, lifetimes are exact.
const service = fixture(() => startOpenIdService({ atMs: Date.now() }));
const ada = fixture(() => addPerson(service, "ada"));
const shop = fixture(() => connect(service, {}, { name: "Shop", homepage_url: "https://shop.example" }));
setup(async () => {
	party = await relyingParty(service, shop);
});
const tv = fixture(() => connect(service, NATIVE, { name: "TV", redirect_uris: [] }));
const closed = fixture(() => connect(service, NATIVE, { name: "Closed", access_policy: "assigned" }));
after(() => service.stop());

type Next = { readonly data: { readonly redirect_to: string }; readonly error: string };

/** Starts an interaction. @returns its id */
async function beginInteraction(
	browser: TestBrowser,
	parameters: Record<string, string> = {},
	of = party,
): Promise<string> {
	return idOf((await browser.go((await startAuthorization(of, parameters)).url.href)).headers.location);
}

async function answerInteraction(browser: TestBrowser, id: string, verb: string, token?: string) {
	const response = await browser.post<Next>(`${INTERACTIONS}/${id}/${verb}`, undefined, token);
	return { status: response.status, redirectTo: response.body.data?.redirect_to, error: response.body.error };
}

async function beginDevice(of = tv): Promise<string> {
	const device = await relyingParty(service, of, client.None());
	return (await client.initiateDeviceAuthorization(device, { scope: "openid email" })).user_code;
}

type Verb = "preview" | "approve" | "deny";

/** @param by a person, who signs in first, or a token */
async function answerDevice(verb: Verb, body: unknown, by: Person | string = ada) {
	// The tests advance the clock past the expiry of access tokens.
	const token = typeof by === "string" ? by : await service.tokenOf(by.username, by.password);
	const path = `${DEVICE_CODES}/${verb}`;
	return service.call<{ data: Record<string, unknown>; error: string }>("POST", path, { token, body });
}

async function refusesUnknownCodes(verb: Verb): Promise<void> {
	// Wrong codes delay the next attempt of their user.
	const viewer = await addPerson(service, `${verb}-viewer`);
	const used = await beginDevice();
	assert.equal((await answerDevice("deny", { user_code: used }, viewer)).status, 204);
	const expired = await beginDevice();
	service.clock.advance(600 * SECOND_MS);
	for (const user_code of ["BBBB-BBBB", "none", used, expired]) {
		const { status, body } = await answerDevice(verb, { user_code }, viewer);
		assert.deepEqual([status, body.error], [404, "this code is wrong, was used or has expired"], user_code);
	}
}

describe("GET /api/v1/auth/interactions/{interaction_id}", () => {
	describe("200", () => {
		it("returns the application and what it requests", async () => {
			const id = await beginInteraction(new TestBrowser(service), {
				ui_locales: "zh-CN en",
				prompt: "login",
				max_age: "60",
			});
			const { body, headers } = await service.call("GET", `${INTERACTIONS}/${id}`);
			const { tenant, ...shown } = body.data;
			assert.equal(tenant.slug, "default");
			assert.equal(headers["cache-control"], "no-store");
			assert.deepEqual(shown, {
				prompt: "login",
				application: { id: shop.id, name: "Shop", homepage_url: "https://shop.example", logo_url: "" },
				program: null,
				redirect_scheme: "",
				first_party: false,
				scopes: ["openid", "profile", "email", "roles"],
				resources: [],
				apis: [],
				login_hint: "",
				ui_locales: ["zh-CN", "en"],
				select_account: false,
				sign_in_again: true,
				second_factor: false,
			});
		});
	});

	describe("404", () => {
		it("refuses unknown, malformed and expired ids, and those of a disabled application", async () => {
			const statusOf = async (id: string) => (await service.call("GET", `${INTERACTIONS}/${id}`)).status;
			for (const id of [UNKNOWN, "short", "a".repeat(65), "%2e%2e"])
				assert.equal(await statusOf(id), 404, id);
			const closing = await connect(service);
			const id = await beginInteraction(new TestBrowser(service), {}, await relyingParty(service, closing));
			assert.equal(await statusOf(id), 200);
			await service.asAdmin("PATCH", `/api/v1/applications/${closing.id}`, { status: "disabled" });
			assert.equal(await statusOf(id), 404);
			const late = await beginInteraction(new TestBrowser(service));
			service.clock.advance(60 * MINUTE_MS);
			assert.equal(await statusOf(late), 404);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/continue", () => {
	describe("200", () => {
		it("returns where the browser continues", async () => {
			const browser = new TestBrowser(service);
			const id = await beginInteraction(browser);
			const token = await browser.signIn(ada.username, ada.password);
			const { status, redirectTo } = await answerInteraction(browser, id, "continue", token);
			assert.deepEqual([status, redirectTo], [200, `https://login.example/oauth/authorize/${id}`]);
		});
	});

	describe("401", () => {
		it("refuses a session from before a requested new sign-in", async () => {
			const { browser, token: before } = await signedInBrowser(service, ada);
			service.clock.advance(1_000);
			const id = await beginInteraction(browser, { prompt: "login" });
			assert.deepEqual(await answerInteraction(browser, id, "continue", before), {
				status: 401,
				redirectTo: undefined,
				error: "the application requires a new sign-in",
			});
			service.clock.advance(1_000);
			const now = await browser.signIn(ada.username, ada.password);
			const { redirectTo } = await answerInteraction(browser, id, "continue", now);
			assert.match((await browser.go(redirectTo)).headers.location ?? "", /\/consent\?/);
		});
	});

	describe("403", () => {
		it("refuses missing access, a missing second factor, another tenant and a token of an application", async () => {
			const closed = await connect(service, {}, { access_policy: "assigned" });
			const strict = await connect(service, {}, { require_mfa: true });
			const browser = new TestBrowser(service);
			const token = await signInAgain(service, ada);
			const refusedAt = async (of: ConnectedClient, token: string) => {
				const id = await beginInteraction(browser, {}, await relyingParty(service, of));
				const path = `${INTERACTIONS}/${id}/continue`;
				const headers = { accept: "application/problem+json" };
				const refusal = await service.call<{ code: string }>("POST", path, { token, headers });
				return [refusal.status, refusal.body.code];
			};
			assert.deepEqual(await refusedAt(closed, token), [403, "application.access_denied"]);
			const last = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual([last?.action, last?.details.app_id], ["user.sign_in_failed", closed.id]);
			assert.deepEqual(await refusedAt(strict, token), [403, "mfa.required"]);
			const { adminToken: elsewhere } = await addSecondTenant(service);
			assert.deepEqual(await refusedAt(shop, elsewhere), [403, "interaction.other_tenant"]);
			const foreign = await signInToApplication(service, ada);
			assert.deepEqual(await refusedAt(shop, foreign), [403, "application.token"]);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/consent", () => {
	describe("200", () => {
		it("stores the consent, and audits its scopes", async () => {
			const eve = await addPerson(service, "eve");
			const { browser, token } = await signedInBrowser(service, eve);
			const id = await beginInteraction(browser);
			const { redirectTo } = await answerInteraction(browser, id, "consent", token);
			assert.equal((await browser.go(redirectTo)).headers.location?.startsWith(CALLBACK), true);
			const { details } = (await auditOf(service, `user:${eve.id}`)).at(-1) ?? {};
			assert.deepEqual(details, { app_id: shop.id, app_name: "Shop", scopes: "openid profile email roles" });
		});
	});

	describe("403", () => {
		it("refuses a session of another tenant", async () => {
			const { browser, token } = await signedInBrowser(service, ada);
			const id = await beginInteraction(browser, { prompt: "consent" });
			const { redirectTo } = await answerInteraction(browser, id, "continue", token);
			const consent = idOf(
				(await browser.go(redirectTo ?? (await startAuthorization(party, { prompt: "consent" })).url.href))
					.headers.location,
			);
			const { adminToken } = await addSecondTenant(service);
			assert.equal((await answerInteraction(browser, consent, "consent", adminToken)).status, 403);
		});
	});

	describe("404", () => {
		it("refuses an interaction that requests no consent", async () => {
			const browser = new TestBrowser(service);
			const id = await beginInteraction(browser);
			assert.equal(
				(await answerInteraction(browser, id, "consent", await signInAgain(service, ada))).status,
				404,
			);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/deny", () => {
	describe("200", () => {
		it("returns to the application, without a session", async () => {
			const browser = new TestBrowser(service);
			const { redirectTo } = await answerInteraction(browser, await beginInteraction(browser), "deny");
			const back = new URL((await browser.go(redirectTo)).headers.location ?? "");
			assert.equal(back.searchParams.get("error"), "access_denied");
		});
	});
});

describe("the browser of an interaction", () => {
	it("must have started it, and must return with the session that confirmed it", async () => {
		const [victim, attacker] = [new TestBrowser(service), new TestBrowser(service)];
		const eve = await addPerson(service, "eve-2");
		const asked = await startAuthorization(party);
		const id = idOf((await attacker.go(asked.url.href)).headers.location);
		// A victim is lured into the attacker's interaction and signs in there: the attacker cannot continue it.
		const victimToken = await victim.signIn(ada.username, ada.password);
		const { redirectTo } = await answerInteraction(victim, id, "continue", victimToken);
		for (const browser of [victim, attacker]) assert.equal((await browser.go(redirectTo)).status, 400);
		const attackerToken = await attacker.signIn(eve.username, eve.password);
		assert.equal((await attacker.go(redirectTo)).status, 400);
		// The attacker cannot finish the victim's interaction with the attacker's own session either.
		const other = idOf((await victim.go((await startAuthorization(party)).url.href)).headers.location);
		const taken = await answerInteraction(victim, other, "continue", attackerToken);
		assert.equal((await victim.go(taken.redirectTo)).status, 400);
	});

	it("receives an error page with the request id", async () => {
		const answered = await new TestBrowser(service).go(`/oauth/authorize/${UNKNOWN}`);
		assert.equal(answered.status, 400);
		assert.match(
			String(answered.body),
			/start again at the application.*\(invalid_request\)[\s\S]*Request [\w-]+/,
		);
		assert.match(
			String(answered.headers["content-security-policy"]),
			/default-src 'none'.*frame-ancestors 'none'/,
		);
		assert.match(String(answered.headers["content-type"]), /^text\/html/);
	});

	it("can sign in as another user", async () => {
		const { browser } = await signedInBrowser(service, ada);
		const bob = await addPerson(service, "bob");
		const asked = await startAuthorization(party, { prompt: "login" });
		const id = idOf((await browser.go(asked.url.href)).headers.location);
		service.clock.advance(1_000);
		const token = await browser.signIn(bob.username, bob.password);
		const { redirectTo } = await answerInteraction(browser, id, "continue", token);
		const returned = await completeAuthorization(browser, redirectTo ?? "", token);
		assert.equal(returned.searchParams.has("code"), true);
	});
});

describe("POST /api/v1/auth/device-codes/preview", () => {
	describe("200", () => {
		it("returns the application, what it requests, and from where", async () => {
			const { status, body, headers } = await answerDevice("preview", { user_code: await beginDevice() });
			assert.equal(status, 200, JSON.stringify(body));
			assert.equal(headers["cache-control"], "no-store");
			const { requested_at, requested_from, expires_in, ...shown } = body.data;
			assert.deepEqual(
				[requested_at, requested_from, expires_in],
				[new Date(service.clock.now()).toISOString(), "127.0.0.1", 600],
			);
			assert.deepEqual(shown, {
				application: { id: tv.id, name: "TV", homepage_url: "", logo_url: "" },
				first_party: false,
				scopes: ["openid", "email"],
				apis: [],
			});
		});
	});

	describe("404", () => {
		it("returns the same response for wrong, malformed, used and expired codes", () =>
			refusesUnknownCodes("preview"));
	});
});

describe("POST /api/v1/auth/device-codes/approve", () => {
	describe("204", () => {
		it("approves once, and audits it", async () => {
			const user_code = await beginDevice();
			assert.equal((await answerDevice("approve", { user_code })).status, 204);
			assert.equal((await answerDevice("approve", { user_code })).status, 404);
			const events = await auditOf(service, `user:${ada.id}`);
			const approved = events.filter(({ action }) => action === "oauth.device_approved");
			assert.equal(approved.length, 1);
			const { session_id, ...details } = approved[0]?.details ?? {};
			assert.equal(typeof session_id, "string");
			assert.deepEqual(details, {
				app_id: tv.id,
				app_name: "TV",
				scopes: "openid email",
				device_ip: "127.0.0.1",
			});
		});
	});

	describe("403", () => {
		it("refuses a user without access to the application, and keeps the code", async () => {
			const user_code = await beginDevice(closed);
			assert.equal((await answerDevice("approve", { user_code })).status, 403);
			assert.equal((await answerDevice("preview", { user_code })).status, 200);
		});
	});

	describe("404", () => {
		it("returns the same response for wrong, malformed, used and expired codes", () =>
			refusesUnknownCodes("approve"));
	});
});

describe("POST /api/v1/auth/device-codes/deny", () => {
	describe("204", () => {
		it("denies once, even for a user without access to the application", async () => {
			const user_code = await beginDevice(closed);
			assert.equal((await answerDevice("deny", { user_code })).status, 204);
			assert.equal((await answerDevice("deny", { user_code })).status, 404);
		});
	});

	describe("404", () => {
		it("returns the same response for wrong, malformed, used and expired codes", () =>
			refusesUnknownCodes("deny"));
	});
});

describe("GET /api/v1/auth/sign-outs/{sign_out_id}", () => {
	let browser: TestBrowser;
	before(async () => {
		({ browser } = await signedInBrowser(service, ada));
	});
	const leaving = fixture(() =>
		connect(
			service,
			{ postLogoutRedirectUris: [BYE] },
			{ name: "Leaving", homepage_url: "https://shop.example" },
		),
	);

	/** Requests a sign-out that the user must confirm. @returns its id */
	const beginSignOut = async (parameters: Readonly<Record<string, string>> = {}): Promise<string> => {
		const response = await browser.go(`/oauth/end-session?${new URLSearchParams(parameters)}`);
		return new URL(response.headers.location ?? "").searchParams.get("request") ?? "";
	};
	const getSignOut = (id: string) => service.call("GET", `${SIGN_OUTS}/${id}`);

	describe("200", () => {
		it("returns the application, and where the browser continues", async () => {
			const id = await beginSignOut({
				client_id: leaving.id,
				post_logout_redirect_uri: BYE,
				state: "s",
				logout_hint: "ada",
				ui_locales: "fr  zh-CN <b>",
			});
			const { status, body, headers } = await getSignOut(id);
			assert.equal(status, 200, JSON.stringify(body));
			assert.deepEqual(body.data, {
				application: { id: leaving.id, name: "Leaving", homepage_url: "https://shop.example", logo_url: "" },
				redirect_to: `${BYE}?state=s`,
				logout_hint: "ada",
				ui_locales: ["fr", "zh-CN"],
			});
			assert.equal(headers["cache-control"], "no-store");
		});

		it("returns neither an application nor an address without a client_id", async () => {
			assert.deepEqual((await getSignOut(await beginSignOut({ state: "s" }))).body.data, {
				application: null,
				redirect_to: null,
				logout_hint: "",
				ui_locales: [],
			});
		});

		it("stores the id as a digest and the request sealed", async () => {
			const id = await beginSignOut({ client_id: leaving.id, post_logout_redirect_uri: BYE });
			const kept = JSON.stringify(await rows(service, "SELECT * FROM oauth_records WHERE kind = 'SignOut'"));
			assert.deepEqual([kept.includes(id), kept.includes("shop.example")], [false, false]);
		});
	});

	describe("404", () => {
		it("refuses malformed ids, ids older than an hour, and those of a disabled application", async () => {
			const old = await beginSignOut({ client_id: leaving.id });
			service.clock.advance(HOUR_MS + 1);
			const gone = await connect(service, {}, { name: "Gone" });
			const ofGone = await beginSignOut({ client_id: gone.id });
			await service.asAdmin("PATCH", `/api/v1/applications/${gone.id}`, { status: "disabled" });
			for (const id of ["A".repeat(43), "x", "%00", "a'b", old, ofGone])
				assert.equal((await getSignOut(id)).status, 404, id);
		});
	});
});
