import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HOUR_MS } from "../../../src/kernel/clock.ts";
import { rows } from "../../harness/access-requests.ts";
import { type ConnectedClient, connect, startOpenIdService, TestBrowser } from "../../harness/openid.ts";
import { addPerson } from "../../harness/people.ts";
import type { TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/sign-outs";
const BYE = "https://shop.example/bye";

let service: TestService;
let browser: TestBrowser;
let shop: ConnectedClient;
before(async () => {
	service = await startOpenIdService();
	const ada = await addPerson(service, "ada");
	browser = new TestBrowser(service);
	await browser.signIn(ada.username, ada.password);
	shop = await connect(
		service,
		{ postLogoutRedirectUris: [BYE] },
		{ name: "Shop", homepage_url: "https://shop.example" },
	);
});
after(() => service.stop());

/** The id of a sign-out that the browser was just asked for. */
async function begin(parameters: Readonly<Record<string, string>> = {}): Promise<string> {
	const answer = await browser.go(`/oauth/end-session?${new URLSearchParams(parameters)}`);
	return new URL(answer.headers.location ?? "").searchParams.get("request") ?? "";
}
const get = (id: string) => service.call("GET", `${PATH}/${id}`);

describe("GET /api/v1/auth/sign-outs/{sign_out_id}", () => {
	describe("200", () => {
		it("says which application asks, and where the browser goes then", async () => {
			const id = await begin({
				client_id: shop.id,
				post_logout_redirect_uri: BYE,
				state: "s",
				logout_hint: "ada",
				ui_locales: "fr  zh-CN <b>",
			});
			const { status, body, headers } = await get(id);
			assert.equal(status, 200, JSON.stringify(body));
			assert.deepEqual(body.data, {
				application: { id: shop.id, name: "Shop", homepage_url: "https://shop.example", logo_url: "" },
				redirect_to: `${BYE}?state=s`,
				logout_hint: "ada",
				ui_locales: ["fr", "zh-CN"],
			});
			assert.equal(headers["cache-control"], "no-store");
		});

		it("says that no application was named, and gives no address with nothing to go back to", async () => {
			assert.deepEqual((await get(await begin({ state: "s" }))).body.data, {
				application: null,
				redirect_to: null,
				logout_hint: "",
				ui_locales: [],
			});
		});

		it("is kept by digest and sealed", async () => {
			const id = await begin({ client_id: shop.id, post_logout_redirect_uri: BYE });
			const kept = JSON.stringify(await rows(service, "SELECT * FROM oauth_records WHERE kind = 'SignOut'"));
			assert.deepEqual([kept.includes(id), kept.includes("shop.example")], [false, false]);
		});
	});

	describe("404", () => {
		it("unknown, malformed, an interaction, older than an hour, of a client that has gone", async () => {
			const interactionLike = "A".repeat(43);
			const old = await begin({ client_id: shop.id });
			service.clock.advance(HOUR_MS + 1);
			const gone = await connect(service, {}, { name: "Gone" });
			const ofGone = await begin({ client_id: gone.id });
			await service.call("PATCH", `/api/v1/applications/${gone.id}`, {
				token: await service.adminToken(),
				body: { status: "disabled" },
			});
			for (const id of [interactionLike, "x", "%00", "a'b", old, ofGone])
				assert.equal((await get(id)).status, 404, id);
		});
	});
});
