import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type * as client from "openid-client";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { assertUnauthenticated } from "../../harness/applications.ts";
import {
	ask,
	CALLBACK,
	type ConnectedClient,
	connect,
	idOf,
	relyingParty,
	startOpenIdService,
	TestBrowser,
	walk,
} from "../../harness/openid.ts";
import { addPerson, auditOf, type Person, signInAgain, signInToApplication } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import type { TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/interactions";
const UNKNOWN = "abcdefghijklmnopqrstu";

let service: TestService;
let ada: Person;
let shop: ConnectedClient;
let party: client.Configuration;
before(async () => {
	service = await startOpenIdService();
	ada = await addPerson(service, "ada");
	shop = await connect(service, {}, { name: "Shop", homepage_url: "https://shop.example" });
	party = await relyingParty(service, shop);
});
after(() => service.stop());

type Next = { readonly data: { readonly redirect_to: string }; readonly error: string };

/** The id of an interaction that a browser has just begun. */
async function begin(
	browser: TestBrowser,
	parameters: Record<string, string> = {},
	of = party,
): Promise<string> {
	return idOf((await browser.go((await ask(of, parameters)).url.href)).headers.location);
}

async function answer(browser: TestBrowser, id: string, verb: string, token?: string) {
	const given = await browser.post<Next & { code: string }>(`${PATH}/${id}/${verb}`, undefined, token);
	return { status: given.status, redirectTo: given.body.data?.redirect_to, error: given.body.error };
}

describe("GET /api/v1/auth/interactions/{interaction_id}", () => {
	describe("200", () => {
		it("says who asks for what", async () => {
			const id = await begin(new TestBrowser(service), {
				ui_locales: "zh-CN en",
				prompt: "login",
				max_age: "60",
			});
			const { body, headers } = await service.call("GET", `${PATH}/${id}`);
			const { tenant, ...shown } = body.data;
			assert.equal(tenant.slug, "default");
			assert.equal(headers["cache-control"], "no-store");
			assert.deepEqual(shown, {
				prompt: "login",
				application: { id: shop.id, name: "Shop", homepage_url: "https://shop.example", logo_url: "" },
				first_party: false,
				scopes: ["openid", "profile", "email", "roles"],
				resources: [],
				apis: [],
				login_hint: "",
				ui_locales: ["zh-CN", "en"],
				sign_in_again: true,
				second_factor: false,
			});
		});
	});

	describe("404", () => {
		it("unknown, malformed, expired, of an application that is disabled", async () => {
			const statusOf = async (id: string) => (await service.call("GET", `${PATH}/${id}`)).status;
			for (const id of [UNKNOWN, "short", "a".repeat(65), "%2e%2e"])
				assert.equal(await statusOf(id), 404, id);
			const closing = await connect(service);
			const id = await begin(new TestBrowser(service), {}, await relyingParty(service, closing));
			assert.equal(await statusOf(id), 200);
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/applications/${closing.id}`, {
				token,
				body: { status: "disabled" },
			});
			assert.equal(await statusOf(id), 404);
			const late = await begin(new TestBrowser(service));
			service.clock.advance(60 * MINUTE_MS);
			assert.equal(await statusOf(late), 404);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/continue", () => {
	describe("200", () => {
		it("answers where the browser goes on", async () => {
			const browser = new TestBrowser(service);
			const id = await begin(browser);
			const token = await browser.signIn(ada.username, ada.password);
			const { status, redirectTo } = await answer(browser, id, "continue", token);
			assert.deepEqual([status, redirectTo], [200, `https://login.example/oauth/authorize/${id}`]);
		});
	});

	describe("401", () => {
		it("without a session, and with one from before when a new sign-in is asked for", async () => {
			const browser = new TestBrowser(service);
			await assertUnauthenticated(service, "POST", `${PATH}/${UNKNOWN}/continue`);
			const before = await browser.signIn(ada.username, ada.password);
			service.clock.advance(1_000);
			const id = await begin(browser, { prompt: "login" });
			assert.deepEqual(await answer(browser, id, "continue", before), {
				status: 401,
				redirectTo: undefined,
				error: "the application asks for a new sign-in",
			});
			service.clock.advance(1_000);
			const now = await browser.signIn(ada.username, ada.password);
			const { redirectTo } = await answer(browser, id, "continue", now);
			assert.match((await browser.go(redirectTo)).headers.location ?? "", /\/consent\?/);
		});
	});

	describe("403", () => {
		it("no access to the application, audited; a second factor missing; another tenant; a token of an application", async () => {
			const closed = await connect(service, {}, { access_policy: "assigned" });
			const strict = await connect(service, {}, { require_mfa: true });
			const browser = new TestBrowser(service);
			const token = await signInAgain(service, ada);
			const refusedAt = async (of: ConnectedClient, token: string) => {
				const id = await begin(browser, {}, await relyingParty(service, of));
				const path = `${PATH}/${id}/continue`;
				const headers = { accept: "application/problem+json" };
				const given = await service.call<{ code: string }>("POST", path, { token, headers });
				return [given.status, given.body.code];
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

	describe("404", () => {
		it("unknown", async () => {
			assert.equal(
				(await answer(new TestBrowser(service), UNKNOWN, "continue", await signInAgain(service, ada))).status,
				404,
			);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/consent", () => {
	describe("200", () => {
		it("remembers, and audits in words", async () => {
			const eve = await addPerson(service, "eve");
			const browser = new TestBrowser(service);
			const token = await browser.signIn(eve.username, eve.password);
			const id = await begin(browser);
			const { redirectTo } = await answer(browser, id, "consent", token);
			assert.equal((await browser.go(redirectTo)).headers.location?.startsWith(CALLBACK), true);
			const { details } = (await auditOf(service, `user:${eve.id}`)).at(-1) ?? {};
			assert.deepEqual(details, { app_id: shop.id, app_name: "Shop", scopes: "openid profile email roles" });
		});
	});

	describe("401", () => {
		it("without a session", async () => {
			await assertUnauthenticated(service, "POST", `${PATH}/${UNKNOWN}/consent`);
		});
	});

	describe("403", () => {
		it("with a session of another tenant", async () => {
			const browser = new TestBrowser(service);
			const token = await browser.signIn(ada.username, ada.password);
			const id = await begin(browser, { prompt: "consent" });
			const { redirectTo } = await answer(browser, id, "continue", token);
			const consent = idOf(
				(await browser.go(redirectTo ?? (await ask(party, { prompt: "consent" })).url.href)).headers.location,
			);
			const { adminToken } = await addSecondTenant(service);
			assert.equal((await answer(browser, consent, "consent", adminToken)).status, 403);
		});
	});
	describe("404", () => {
		it("where no consent is asked", async () => {
			const browser = new TestBrowser(service);
			const id = await begin(browser);
			assert.equal((await answer(browser, id, "consent", await signInAgain(service, ada))).status, 404);
		});
	});
});

describe("POST /api/v1/auth/interactions/{interaction_id}/deny", () => {
	describe("200", () => {
		it("without a session", async () => {
			const browser = new TestBrowser(service);
			const { redirectTo } = await answer(browser, await begin(browser), "deny");
			const back = new URL((await browser.go(redirectTo)).headers.location ?? "");
			assert.equal(back.searchParams.get("error"), "access_denied");
		});
	});

	describe("404", () => {
		it("unknown", async () => {
			assert.equal((await answer(new TestBrowser(service), UNKNOWN, "deny")).status, 404);
		});
	});
});

describe("the browser of an interaction", () => {
	it("is the one that began it, and comes back with the session that answered", async () => {
		const [victim, attacker] = [new TestBrowser(service), new TestBrowser(service)];
		const eve = await addPerson(service, "eve-2");
		const asked = await ask(party);
		const id = idOf((await attacker.go(asked.url.href)).headers.location);
		// A victim who is lured to the attacker's interaction signs in there; the attacker cannot go on with it.
		const victimToken = await victim.signIn(ada.username, ada.password);
		const { redirectTo } = await answer(victim, id, "continue", victimToken);
		for (const browser of [victim, attacker]) assert.equal((await browser.go(redirectTo)).status, 400);
		const attackerToken = await attacker.signIn(eve.username, eve.password);
		assert.equal((await attacker.go(redirectTo)).status, 400);
		// Nor can the attacker finish the victim's with a session of the attacker.
		const other = idOf((await victim.go((await ask(party)).url.href)).headers.location);
		const taken = await answer(victim, other, "continue", attackerToken);
		assert.equal((await victim.go(taken.redirectTo)).status, 400);
	});

	it("gets a page of ours, with the request id, when that fails", async () => {
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

	it("may sign in as somebody else", async () => {
		const browser = new TestBrowser(service);
		await browser.signIn(ada.username, ada.password);
		const bob = await addPerson(service, "bob");
		const asked = await ask(party, { prompt: "login" });
		const id = idOf((await browser.go(asked.url.href)).headers.location);
		service.clock.advance(1_000);
		const token = await browser.signIn(bob.username, bob.password);
		const { redirectTo } = await answer(browser, id, "continue", token);
		const returned = await walk(browser, redirectTo ?? "", token);
		assert.equal(returned.searchParams.has("code"), true);
	});
});
