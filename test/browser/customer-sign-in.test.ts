// The IT of another organization sets up its own sign-in on `/set-up`, and its people sign in there.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { describePages } from "../harness/browser/describe-pages.ts";
import { noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { DOMAINS } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { startOidcProvider } from "../harness/providers/oidc-provider.ts";
import { IDENTITY_PROVIDERS, PROVIDER_NETWORK } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

const DOMAIN = "acme.example";
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };
const USERS = [`it@${DOMAIN}`, `wei@${DOMAIN}`, "it@elsewhere.example"].map((email) => ({
	sub: email.replace("@", "-"),
	email,
	email_verified: true,
	name: `${email} there`,
}));
const dns = await startNameServer();
after(() => dns[Symbol.asyncDispose]());

describePages(
	"the set-up page",
	(pages) => {
		const provider = fixture(
			() =>
				startOidcProvider({
					clients: [{ ...CLIENT, redirect_uris: [`${PAGES_URL}/`] }],
					users: USERS,
					redirectsTo: `${PAGES_URL}/`,
				}),
			"close",
		);

		const linkOf = async (domain: string, fields: object = {}): Promise<string> => {
			const { url } = await pages.service.asAdmin("POST", `${IDENTITY_PROVIDERS}/set-up-links`, {
				domain,
				...fields,
			});
			return url.slice(PAGES_URL.length);
		};
		const signInThere = async (page: Page, sub: string): Promise<void> => {
			await page.getByLabel("Subject").fill(sub);
			await page.getByRole("button", { name: "Sign in" }).click();
		};
		const isOver = async (link: string): Promise<void> => {
			const { page } = await pages.open(link);
			await page.getByText("This link was finished or replaced, or has expired.").waitFor();
			assert.equal(await page.getByLabel("Client ID").count(), 0);
			await noAxeViolations(page);
		};

		test("takes the IT from the link to a sign-in that an administrator enables", async () => {
			const { service } = pages;
			const link = await linkOf(DOMAIN);
			const { page, context } = await pages.open(link, { viewport: { width: 390, height: 844 } });
			await page.getByText(`People with an address of ${DOMAIN}`).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/set-up`, "the token stays in the URL");
			await page.getByLabel("Provider", { exact: true }).selectOption({ label: "Another OpenID provider" });
			const save = async (issuer: string) => {
				await page.getByLabel("Issuer").fill(issuer);
				await page.getByLabel("Client ID").fill(CLIENT.client_id);
				await page.getByLabel("Client secret", { exact: true }).fill(CLIENT.client_secret);
				await page.getByRole("button", { name: "Save" }).click();
			};
			await save("https://127.0.0.1:9");
			await page.getByText("cannot be reached").first().waitFor();
			await save(`${provider.issuer}/.well-known/openid-configuration`);
			await page.getByText(`must be ${provider.issuer}`).first().waitFor();
			await noAxeViolations(page);
			await save(provider.issuer);
			await page.getByText("Saved.").waitFor();

			const trialAs = async (sub: string) => {
				await context.clearCookies({ domain: "127.0.0.1" });
				await page.getByRole("button", { name: "Start a trial" }).click();
				const opened = context.waitForEvent("page");
				await page.getByRole("link", { name: /^Open the sign-in/ }).click();
				const tab = await opened;
				await signInThere(tab, sub);
				await tab.getByText("The trial sign-in ended.").waitFor();
				await tab.close();
				await page.evaluate("window.dispatchEvent(new Event('focus'))");
			};
			const finish = page.getByRole("button", { name: "Finish" });
			await trialAs("it-elsewhere.example");
			await page.getByText(`it@elsewhere.example signed in, but is no address of ${DOMAIN}`).waitFor();
			assert.ok(await finish.isDisabled());
			await trialAs(`it-${DOMAIN}`);
			await page.getByText(`it@${DOMAIN} signed in.`).waitFor();

			const shown: DataOf<"GET /api/v1/domains/{domain}"> = await service.asAdmin(
				"GET",
				`${DOMAINS}/${DOMAIN}`,
			);
			const { record, issuer_id } = shown;
			await page.getByText(record.value).waitFor();
			dns.set(record.name, ["latchkey-verification=of-someone-else"]);
			await finish.click();
			await page.getByText("has 1 TXT record without the value").waitFor();
			await noAxeViolations(page);
			dns.set(record.name, ["v=spf1 -all", record.value]);
			await finish.click();
			await page.getByRole("heading", { name: "Set-up finished" }).waitFor();
			await isOver(link);

			const discover = () =>
				service.call("POST", "/api/v1/auth/discover", { body: { identifier: `wei@${DOMAIN}` } });
			assert.deepEqual((await discover()).body.data, {});
			await service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${issuer_id}`, { enabled: true });
			const wei = await pages.open("/sign-in?return_to=%2Faccount%2Fsessions");
			await wei.page.getByLabel("Username or email").fill(`Wei@${DOMAIN.toUpperCase()}`);
			await wei.page.getByRole("button", { name: "Sign in", exact: true }).click();
			await signInThere(wei.page, `wei-${DOMAIN}`);
			await wei.page.waitForURL(`${PAGES_URL}/account/sessions`);
			await wei.page.getByText(`wei@${DOMAIN} there`).first().waitFor();
		});

		test("explains in both languages that a link was replaced or has expired", async () => {
			const replaced = await linkOf("late.example");
			const link = await linkOf("late.example", { expires_in: 3_600 });
			await isOver(replaced);
			const chinese = await pages.open(replaced, { locale: "zh-CN" });
			await chinese.page.getByText("此链接已完成、被替换或已过期").waitFor();
			const open = await pages.open(link);
			await open.page.getByLabel("Client ID").waitFor();
			pages.service.clock.advance(3_600_000);
			await isOver(link);
			// A page that was open meanwhile.
			await open.page.getByLabel("Issuer").fill(provider.issuer);
			await open.page.getByLabel("Client ID").fill("late");
			await open.page.getByLabel("Client secret", { exact: true }).fill("late");
			await open.page.getByRole("button", { name: "Save" }).click();
			await open.page.getByText("This link was finished or replaced, or has expired.").waitFor();
		});
	},
	() => ({ LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK }),
	{ nameServers: [dns.address] },
);
