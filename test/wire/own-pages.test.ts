import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fixture } from "../harness/fixture.ts";
import { addPerson } from "../harness/people.ts";
import { LINKS, newJar, openStage, PUBLIC_URL, THIRD_PARTY } from "../harness/third-party.ts";

const SIGN_IN = `${PUBLIC_URL}/sign-in?app_id=1&redirect_uri=https%3A%2F%2Fapp.example.com&state=a`;
const PROBLEM = { accept: "application/problem+json" };

describe("sign-in with a provider from the service's own pages", () => {
	const stage = fixture(() => openStage(["one", "two", "three"].map((sub) => ({ sub }))));
	before(async () => {
		await stage.addProvider("open", { sign_up: true });
		await stage.addProvider("closed", { sign_up: false });
	});
	after(() => stage?.stop());

	/** The URL that the browser returns to, and its fragment. */
	const comeBack = async (
		jar = newJar(),
		slug = "open",
		sub: string | null = "one",
		redirect_uri = SIGN_IN,
	) => {
		const callback = await stage.goThrough(jar, await stage.start(slug, { redirect_uri }), sub);
		const response = await stage.visit(jar, callback);
		assert.equal(response.status, 303);
		const [page, fragment = ""] = String(response.headers.location).split("#");
		return { page, fragment: new URLSearchParams(fragment) };
	};
	const redeem = (ticket: string | null, cookies: ReadonlyMap<string, string>, headers = {}) => {
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const options = { body: { ticket }, https: true, headers: { ...PROBLEM, cookie, ...headers } };
		return stage.service.call("POST", `${THIRD_PARTY}/token`, options);
	};

	it("returns to the same page, with the ticket in the fragment", async () => {
		for (const redirectUri of [SIGN_IN, `${PUBLIC_URL}/sign-in`, `${PUBLIC_URL}/account?x`]) {
			const { page, fragment } = await comeBack(newJar(), "open", "one", redirectUri);
			assert.equal(page, redirectUri);
			assert.deepEqual([...fragment.keys()], ["ticket"]);
		}
		const denied = await comeBack(newJar(), "open", null);
		assert.deepEqual([denied.page, String(denied.fragment)], [SIGN_IN, "error=access_denied"]);
		const stranger = await comeBack(newJar(), "closed", "three");
		assert.equal(String(stranger.fragment), "error=sign_up_not_allowed");
	});

	it("signs in only the browser that started", async () => {
		const jar = newJar();
		const ticket = (await comeBack(jar)).fragment.get("ticket");
		for (const cookies of [new Map<string, string>(), (await otherJar()).cookies]) {
			const response = await redeem(ticket, cookies);
			assert.deepEqual([response.status, response.body.code], [401, "ticket.invalid"]);
		}
		const inCookie = { "x-session": "cookie", origin: PUBLIC_URL };
		const response = await redeem(ticket, jar.cookies, inCookie);
		assert.equal(response.status, 200, JSON.stringify(response.body));
		assert.equal(response.body.data.refresh_token, undefined);
		assert.match(String(response.headers["set-cookie"]), /^__Host-latchkey=[A-Za-z0-9_-]{43};/);
		assert.equal((await redeem(ticket, jar.cookies)).status, 401);
	});

	it("links an account from /account", async () => {
		const ada = await addPerson(stage.service, "ada");
		const redirect_uri = `${PUBLIC_URL}/account`;
		const body = { redirect_uri, password: ada.password };
		const slug: string = "open";
		const started = await stage.service.call("POST", `${LINKS}/${slug}/start`, { token: ada.token, body });
		assert.equal(started.status, 200, JSON.stringify(started.body));
		const jar = newJar();
		const [pair = ""] = String(started.headers["set-cookie"]).split(";");
		jar.cookies.set(pair.split("=")[0] as string, pair.split("=")[1] as string);
		const callback = await stage.goThrough(jar, started.body.data.authorization_url, "two");
		const location = String((await stage.visit(jar, callback)).headers.location);
		assert.ok(location.startsWith(`${redirect_uri}#ticket=`), location);
		const linked = await stage.service.call("GET", LINKS, { token: ada.token });
		assert.equal(linked.body.total, 1);
	});

	it("refuses every other URL as not registered", async () => {
		const { appId } = stage;
		for (const fields of [
			{ redirect_uri: PUBLIC_URL },
			{ redirect_uri: `${PUBLIC_URL}/` },
			{ redirect_uri: `${PUBLIC_URL}/console` },
			{ redirect_uri: `${PUBLIC_URL}/sign-in/` },
			{ redirect_uri: `${PUBLIC_URL}/sign-in/../portal` },
			{ redirect_uri: `${PUBLIC_URL}/sign-in#ticket=mine` },
			{ redirect_uri: `${PUBLIC_URL}/sign-in?a\r\nset-cookie: b=c` },
			{ redirect_uri: `${PUBLIC_URL}/sign-in?ä` },
			{ redirect_uri: `${PUBLIC_URL}/Sign-In` },
			{ redirect_uri: `${PUBLIC_URL}.evil.example/sign-in` },
			{ redirect_uri: `${PUBLIC_URL}@evil.example/sign-in` },
			{ redirect_uri: `${PUBLIC_URL.replace("https", "http")}/sign-in` },
			{ redirect_uri: "/sign-in" },
			{ redirect_uri: `${PUBLIC_URL}/sign-in`, app_id: appId },
		]) {
			const options = { body: fields, headers: PROBLEM };
			const response = await stage.service.call("POST", `${THIRD_PARTY}/open/start`, options);
			assert.deepEqual(
				[response.status, response.body.code],
				[400, "redirect_uri.not_registered"],
				JSON.stringify(fields),
			);
		}
	});

	async function otherJar() {
		const jar = newJar();
		await comeBack(jar, "open", "one");
		return jar;
	}
});
