// Response modes of `/oauth/authorize`: each type of client has its own, and a refusal of any other is visible.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import type { OAuthClientSettings } from "../../src/domain/oauth-client.ts";
import {
	CALLBACK,
	type ConnectedClient,
	connect,
	exchange,
	openIdService,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

const ENTITIES: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
	"&#39;": "'",
};
const OTHER_TYPES = ["spa", "native"] as const;

describe("response modes", () => {
	const service = openIdService();
	let ada: Person;
	let browser: TestBrowser;
	let web: client.Configuration;
	before(async () => {
		ada = await addPerson(service, "ada");
		({ browser } = await signedInBrowser(service, ada));
		web = await partyOf({});
	});

	async function partyOf(settings: Partial<OAuthClientSettings>): Promise<client.Configuration> {
		const isPublic = settings.type === "spa" || settings.type === "native";
		const authMethod = isPublic ? "none" : "client_secret_basic";
		const connected: ConnectedClient = await connect(service, { authMethod, firstParty: true, ...settings });
		return await relyingParty(service, connected, isPublic ? client.None() : undefined);
	}
	const authorize = async (by: client.Configuration, parameters: Readonly<Record<string, string>>) => {
		const asked = await startAuthorization(by, parameters);
		return { asked, response: await browser.go(asked.url.href) };
	};
	type Response = Awaited<ReturnType<typeof authorize>>["response"];

	/** What the page posts, and where. */
	function formIn({ status, headers, body }: Response) {
		assert.deepEqual([status, headers.location], [200, undefined]);
		assert.match(headers["content-type"] ?? "", /^text\/html/);
		const page = String(body);
		const text = (escaped: string) => escaped.replaceAll(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity);
		const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
		const [, action = ""] = /<form [^>]*action="([^"]*)"/.exec(page) ?? [];
		const [, script = ""] = /<script>([^<]*)<\/script>/.exec(page) ?? [];
		const posted = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, text(value)]));
		return { action: text(action), script, posted };
	}
	async function refusedInQuery(
		by: client.Configuration,
		parameters: Readonly<Record<string, string>>,
		error = "invalid_request",
	): Promise<void> {
		const { asked, response } = await authorize(by, parameters);
		assert.equal(response.status, 303, JSON.stringify(parameters));
		const location = new URL(response.headers.location ?? "");
		assert.deepEqual(
			[location.origin + location.pathname, location.hash, location.searchParams.get("state")],
			[CALLBACK, "", asked.state],
		);
		assert.deepEqual(
			[location.searchParams.get("error"), location.searchParams.has("code")],
			[error, false],
			JSON.stringify(parameters),
		);
	}

	it("are announced", () => {
		assert.deepEqual([...(web.serverMetadata().response_modes_supported ?? [])].sort(), [
			"form_post",
			"fragment",
			"query",
		]);
	});

	describe("form_post", () => {
		it("posts the code of a web client, from a page that only runs its own script", async () => {
			const { asked, response } = await authorize(web, { response_mode: "form_post" });
			const { action, script, posted } = formIn(response);
			assert.equal(action, CALLBACK);
			const hash = createHash("sha256").update(script).digest("base64");
			assert.equal(
				response.headers["content-security-policy"],
				`default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; script-src 'sha256-${hash}'; form-action https:; base-uri 'none'; frame-ancestors 'none'`,
			);
			assert.equal(response.headers["cache-control"], "no-store");
			const received = new Request(action, { method: "POST", body: posted });
			const tokens = await client.authorizationCodeGrant(web, received, {
				pkceCodeVerifier: asked.verifier,
				expectedState: asked.state,
				expectedNonce: asked.nonce,
				idTokenExpected: true,
			});
			assert.equal(tokens.claims()?.sub, ada.id);
		});

		it("posts errors too, and escapes the state", async () => {
			const state = `"><script>alert(1)</script>'&amp;`;
			const asked = { response_mode: "form_post", prompt: "none", state, max_age: "0" };
			const { response } = await authorize(web, asked);
			const { posted } = formIn(response);
			assert.deepEqual([posted.get("error"), posted.get("state")], ["login_required", state]);
			assert.equal(String(response.body).match(/<script>/g)?.length, 1);
		});

		it("works with a pushed request", async () => {
			const asked = await startAuthorization(web, { response_mode: "form_post" });
			const url = await client.buildAuthorizationUrlWithPAR(web, asked.url.searchParams);
			assert.ok(formIn(await browser.go(url.href)).posted.has("code"));
		});

		it("never posts to a URI that is not registered", async () => {
			const redirect_uri = "https://evil.example/callback";
			const { response } = await authorize(web, { response_mode: "form_post", redirect_uri });
			assert.equal(response.status, 400);
			assert.equal(String(response.body).includes("<form"), false);
		});

		it("is refused to other clients in the query", async () => {
			for (const type of OTHER_TYPES) {
				const party = await partyOf({ type });
				await refusedInQuery(party, { response_mode: "form_post" });
				// Refused before the mode is checked.
				await refusedInQuery(
					party,
					{ response_mode: "form_post", request: "e30.e30." },
					"request_not_supported",
				);
			}
		});
	});

	describe("fragment", () => {
		it("is for spa clients", async () => {
			const party = await partyOf({ type: "spa" });
			const { asked, response } = await authorize(party, { response_mode: "fragment" });
			const location = new URL(response.headers.location ?? "");
			assert.equal(location.search, "");
			location.search = location.hash.slice(1);
			location.hash = "";
			assert.equal((await exchange(party, location, asked)).claims()?.sub, ada.id);
		});

		it("is refused to web and native clients in the query, as is a response type that implies it", async () => {
			for (const party of [web, await partyOf({ type: "native" })]) {
				await refusedInQuery(party, { response_mode: "fragment" });
				await refusedInQuery(party, { response_mode: "fragment", prompt: "none", max_age: "0" });
				await refusedInQuery(party, { response_mode: "fragment", response_type: "code code" });
				await refusedInQuery(party, { response_type: "token" }, "unsupported_response_type");
			}
		});
	});

	it("can be limited to some of the type", async () => {
		const party = await partyOf({ responseModes: ["form_post"] });
		await refusedInQuery(party, {});
		await refusedInQuery(party, { response_mode: "query" });
		assert.ok(formIn((await authorize(party, { response_mode: "form_post" })).response).posted.has("code"));
	});

	it("are refused in the query if they are unknown", async () => {
		for (const response_mode of ["web_message", "jwt", "form_post.jwt", "QUERY", "x"])
			await refusedInQuery(web, { response_mode }, "unsupported_response_mode");
	});
});
