import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/applications.ts";
import { BROWSER_SKIPPED } from "../harness/browser.ts";
import { type OidcProvider, signInAtProvider, startOidcProvider } from "../harness/oidc-provider.ts";
import { addPerson, type Person } from "../harness/people.ts";
import { startTestService, type TestService } from "../harness/service.ts";
import { type BrowserOfService, openBrowser } from "../harness/shared-browser.ts";
import { LINKS, PROVIDER_NETWORK, PUBLIC_URL, THIRD_PARTY } from "../harness/third-party.ts";
import type { BodyOfRow } from "../harness/wire-body.ts";

const TIMEOUT_MS = 300_000;
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };
const USERS = ["ada", "bob", "victim", "eve", "carol", "dora"].map((sub) => ({
	sub,
	email: `${sub}@provider.example`,
	email_verified: true,
	name: `${sub} of the provider`,
	preferred_username: `${sub}-elsewhere`,
}));

/** An application with its own server, which starts sign-ins and redeems the tickets. */
interface App {
	readonly url: string;
	readonly tickets: readonly string[];
	close(): void;
}

describe("signing in with an account elsewhere", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
	let provider: OidcProvider;
	let service: TestService;
	let browser: BrowserOfService;
	let app: App;
	before(async () => {
		const callback = `${PUBLIC_URL}${THIRD_PARTY}/corp/callback`;
		provider = await startOidcProvider({ clients: [{ ...CLIENT, redirect_uris: [callback] }], users: USERS });
		service = await startTestService({
			env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL, LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK },
		});
		const body = {
			provider: "corp",
			kind: "oidc",
			display_name: "Corp",
			issuer: provider.issuer,
			sign_up: true,
		};
		const token = await service.adminToken();
		await service.call("POST", "/api/v1/identity-providers", { token, body: { ...body, ...CLIENT } });
		app = await startApp(service);
		await addApplication(service, { redirect_uris: [`${app.url}/back`] });
		browser = await openBrowser(PUBLIC_URL, service.httpsPort);
	});
	after(async () => {
		await browser?.[Symbol.asyncDispose]();
		app?.close();
		await service?.stop();
		await provider?.close();
	});

	/** Signs in on the page of the provider. */
	const signInThere = async (page: Page, sub: string): Promise<void> => {
		await page.getByLabel("Subject").fill(sub);
		await page.getByRole("button", { name: "Sign in" }).click();
	};
	/** The result that the application shows. */
	const shown = async (page: Page): Promise<string> => {
		await page.waitForURL(`${app.url}/back?*`);
		return (await page.locator("#result").textContent()) ?? "";
	};
	const linksOf = async ({ token }: Person): Promise<number> =>
		(await service.call("GET", LINKS, { token })).body.total;
	const startLink = async ({ token, password }: Person): Promise<string> => {
		const body = { redirect_uri: `${app.url}/back`, password };
		const answer = await service.call<
			BodyOfRow<"POST /api/v1/users/me/third-party-accounts/{provider}/start">
		>("POST", `${LINKS}/corp/start`, { token, body });
		return answer.body.data.authorization_url;
	};
	const redeem = (ticket: string) => service.call("POST", `${THIRD_PARTY}/token`, { body: { ticket } });

	test("signs in through the provider, and asks nothing the next time", async () => {
		const { page, context, requests } = await browser.open();
		await page.goto(`${app.url}/sign-in`);
		await signInThere(page, "ada");
		assert.equal(await shown(page), "signed in as ada-elsewhere");
		const used = app.tickets.at(-1) as string;
		assert.equal((await redeem(used)).status, 401);
		const cookies = (await context.cookies(PUBLIC_URL)).map(({ name, httpOnly, secure, sameSite }) => [
			name,
			httpOnly,
			secure,
			sameSite,
		]);
		assert.deepEqual(cookies, [["__Host-latchkey-browser", true, true, "Lax"]]);
		await page.goto(`${app.url}/sign-in`);
		assert.equal(await shown(page), "signed in as ada-elsewhere");
		// No Referer: neither the provider nor the application sees the address of the service with its parameters.
		assert.ok(requests.some((request) => request.includes("/corp/begin?attempt=")));
		assert.equal(await page.evaluate("document.referrer"), "");
	});

	test("reports a refusal by the user to the application", async () => {
		const { page } = await browser.open();
		await page.goto(`${app.url}/sign-in`);
		await page.getByRole("button", { name: "Deny" }).click();
		assert.equal(await shown(page), "error access_denied");
	});

	test("refuses a callback in another browser", async () => {
		const [own, other] = [await browser.open(), await browser.open()];
		const begun = own.page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`));
		await own.page.goto(`${app.url}/sign-in`);
		const callback = await signInAtProvider((await begun).url(), "bob");
		await other.page.goto(callback.href);
		assert.equal(await other.page.getByRole("heading").textContent(), "Bad Request");
		assert.match((await other.page.locator("main").textContent()) ?? "", /began in another browser/);
		// Its own pending sign-in does not help.
		await other.page.goto(`${app.url}/sign-in`);
		await other.page.goto(callback.href);
		assert.equal(await other.page.getByRole("heading").textContent(), "Bad Request");
		await own.page.goto(callback.href);
		assert.equal(await shown(own.page), "signed in as bob-elsewhere");
	});

	test("accepts a callback as a cross-site form, as Apple sends it", async () => {
		const [own, other] = [await browser.open(), await browser.open()];
		const begun = own.page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`));
		await own.page.goto(`${app.url}/sign-in`);
		const callback = await signInAtProvider((await begun).url(), "carol");
		const form = `${app.url}/post?${new URLSearchParams({ to: callback.href })}`;
		await other.page.goto(form);
		await other.page.waitForURL(`${PUBLIC_URL}/**`);
		assert.equal(await other.page.getByRole("heading").textContent(), "Bad Request");
		await own.page.goto(form);
		assert.equal(await shown(own.page), "signed in as carol-elsewhere");
	});

	test("links in the browser that started, without a confirmation", async () => {
		const person = await addPerson(service, "dora");
		const { page } = await browser.open();
		await page.goto(`${PUBLIC_URL}/docs`);
		const url = await page.evaluate(
			async ([path, token, redirect_uri, password]) => {
				const answer = await fetch(path as string, {
					method: "POST",
					headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
					body: JSON.stringify({ redirect_uri, password }),
				});
				const { data } = (await answer.json()) as { data: { authorization_url: string } };
				return data.authorization_url;
			},
			[`${LINKS}/corp/start`, person.token, `${app.url}/back`, person.password],
		);
		await page.goto(url);
		await signInThere(page, "dora");
		assert.equal(await shown(page), "signed in as dora");
		assert.equal(await linksOf(person), 1);
	});

	test("asks any other browser for confirmation, so that a forwarded link links nothing", async () => {
		const eve = await addPerson(service, "eve");
		const { page, troubles } = await browser.open();
		// The victim is signed in at the provider, which would ask nothing.
		await page.goto(`${app.url}/sign-in`);
		await signInThere(page, "victim");
		assert.equal(await shown(page), "signed in as victim-elsewhere");
		await page.goto(await startLink(eve));
		assert.equal(await page.getByRole("heading").textContent(), "Link Corp?");
		assert.match((await page.locator("main").textContent()) ?? "", /linked to the account eve here/);
		assert.equal(await linksOf(eve), 0);
		assert.deepEqual(troubles, []);
	});

	test("links after the confirmation, and unlinks", async () => {
		const person = await addPerson(service, "linda");
		const { page } = await browser.open();
		await page.goto(await startLink(person));
		await page.getByRole("link", { name: "Link it to linda" }).click();
		await signInThere(page, "eve");
		assert.equal(await shown(page), "signed in as linda");
		const { data } = (await service.call("GET", LINKS, { token: person.token })).body;
		assert.equal(data.length, 1);
		const removed = await service.call("DELETE", `${LINKS}/${data[0]?.id}`, { token: person.token });
		assert.equal(removed.status, 204);
		// After unlinking, the account is unknown.
		await page.goto(`${app.url}/sign-in`);
		assert.equal(await shown(page), "signed in as eve-elsewhere");
	});
});

async function startApp(service: TestService): Promise<App> {
	const tickets: string[] = [];
	let url = "";
	const answer = async (target: URL, response: ServerResponse): Promise<void> => {
		if (target.pathname === "/sign-in") {
			const body = { redirect_uri: `${url}/back` };
			const started = await service.call<BodyOfRow<"POST /api/v1/auth/third-party/{provider}/start">>(
				"POST",
				`${THIRD_PARTY}/corp/start`,
				{ body },
			);
			response.writeHead(302, { location: started.body.data.authorization_url }).end();
		} else if (target.pathname === "/back") {
			response.writeHead(200, { "content-type": "text/html" });
			response.end(`<p id="result">${await resultOf(target.searchParams)}</p>`);
		} else if (target.pathname === "/post") {
			const to = new URL(target.searchParams.get("to") ?? "");
			const fields = [...to.searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`);
			response.writeHead(200, { "content-type": "text/html" });
			response.end(
				`<form method="post" action="${to.origin}${to.pathname}">${fields.join("")}</form><script>document.forms[0].submit()</script>`,
			);
		} else response.writeHead(404).end();
	};
	const resultOf = async (back: URLSearchParams): Promise<string> => {
		const ticket = back.get("ticket");
		if (ticket === null) return `error ${back.get("error")}`;
		tickets.push(ticket);
		const { status, body } = await service.call("POST", `${THIRD_PARTY}/token`, { body: { ticket } });
		return status === 200 ? `signed in as ${body.data.user.username}` : `refused ${status}`;
	};
	const server: Server = createServer((request, response) => {
		answer(new URL(request.url ?? "/", url), response).catch((error: unknown) =>
			response.writeHead(500).end(String(error)),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const close = (): void => {
		server.closeAllConnections();
		server.close();
	};
	return { url, tickets, close };
}
