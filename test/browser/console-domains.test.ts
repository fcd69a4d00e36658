// Domains, set-up links, and the settings of a directory in the console.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, fitsWidth, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { addVerifiedDomain, DOMAINS } from "../harness/domains/domains.ts";
import { startNameServer } from "../harness/domains/name-server.ts";
import { addPerson } from "../harness/people/people.ts";
import { addDirectory } from "../harness/providers/directories.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { signInAtProvider, startOidcProvider } from "../harness/providers/oidc-provider.ts";
import { cookiesOf, keepCookies, newJar, PROVIDER_NETWORK } from "../harness/providers/third-party.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";

const DOMAIN = "customer.example";
const IT = `it@${DOMAIN}`;
const CLIENT = { client_id: "latchkey", client_secret: "the secret of latchkey at its provider" };
const PHONE = { width: 390, height: 844 };
const dns = await startNameServer();
after(() => dns[Symbol.asyncDispose]());

describePages(
	"domains and set-up links in the console",
	(pages) => {
		const provider = fixture(
			() =>
				startOidcProvider({
					clients: [{ ...CLIENT, redirect_uris: [`${PAGES_URL}/`] }],
					users: [{ sub: "it", email: IT, email_verified: true }],
					redirectsTo: `${PAGES_URL}/`,
				}),
			"close",
		);

		const region = (page: Page) => page.getByRole("region", { name: "Domains" });
		const choose = async (page: Page, domain: string, action: string): Promise<void> => {
			await page.getByRole("button", { name: `Actions for ${domain}` }).click();
			await page.getByRole("menuitem", { name: action }).click();
		};
		const stored = (domain: string) => pages.service.asAdmin("GET", `${DOMAINS}/${domain}`);
		/** What the IT of the organization does with its link, up to the end. */
		const setUp = async (token: string) => {
			const { service } = pages;
			const send = async (method: "PUT" | "POST", path: string, body?: object, headers: object = {}) => {
				const response = await service.call<{ data: Record<string, unknown> }>(
					method,
					`/api/v1/set-up${path}`,
					{ token, body, https: true, headers: { ...headers } },
				);
				assert.ok(response.status < 300, JSON.stringify(response.body));
				return response;
			};
			const saved = await send("PUT", "", { ...CLIENT, issuer: provider.issuer });
			const { record } = saved.body.data as { record: { name: string; value: string } };
			return {
				async tryAndFinish() {
					const jar = newJar();
					const started = await send("POST", "/test", undefined, cookiesOf(jar));
					keepCookies(jar, started as never);
					const { pathname, search } = await signInAtProvider(
						String(started.body.data.authorization_url),
						"it",
					);
					await service.call("GET", pathname + search, {
						https: true,
						headers: { ...cookiesOf(jar), accept: "text/html" },
					});
					dns.set(record.name, [record.value]);
					await send("POST", "/finish");
				},
			};
		};

		test("leads from a link for the IT of an organization to its enforced sign-in", async () => {
			await addApplication(pages.service, { name: "Orders" });
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/providers");
			await page.getByText("No domains yet.").waitFor();
			await page.getByRole("button", { name: "Create set-up link" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Domain").fill("gmail.com");
			await dialog.getByRole("radio", { name: "Orders" }).check();
			await dialog.getByLabel("Valid for").selectOption({ label: "3 days" });
			await dialog.getByRole("button", { name: "Create set-up link" }).click();
			await dialog.locator("[name=domain][aria-invalid=true]").waitFor();
			await dialog.getByLabel("Domain").fill(DOMAIN);
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Create set-up link" }).click();
			const link = (await dialog.getByText(/#lsu_/).first().textContent()) ?? "";
			assert.match(link, /^https:\/\/id\.example\.com\/set-up#lsu_[\w-]{43}$/);
			await noAxeViolations(page);
			await dialog.getByRole("checkbox", { name: "I have copied the link" }).check();
			await dialog.getByRole("button", { name: "Done" }).click();
			await region(page).getByText("Not verified").waitFor();
			await region(page).getByText("Open until").waitFor();
			assert.equal(await page.getByText(/lsu_/).count(), 0);
			await region(page).getByRole("button", { name: "Check now" }).click();
			await region(page)
				.getByText(/has no TXT record/)
				.first()
				.waitFor();
			await assertAccessible(page);

			const steps = await setUp(link.split("#")[1] ?? "");
			const { issuer_id } = await stored(DOMAIN);
			await page.goto(`${PAGES_URL}/console/providers/${issuer_id}`);
			await page.getByText("can still change this provider").waitFor();
			assert.ok(await page.getByRole("button", { name: "Enable", exact: true }).isDisabled());
			await steps.tryAndFinish();
			await page.reload();
			await page.getByRole("region", { name: "Set up with a link" }).getByText(IT).waitFor();
			await assertAccessible(page);
			await page.getByRole("button", { name: "Enable", exact: true }).click();
			for (const shown of [DOMAIN, provider.issuer, CLIENT.client_id, IT])
				await dialog.getByText(shown, { exact: true }).first().waitFor();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Enable" }).click();
			await page.getByText("The provider is enabled").waitFor();

			await choose(page, DOMAIN, "Change…");
			await dialog.getByRole("checkbox", { name: "Sign in only there" }).check();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Save" }).click();
			await region(page).getByText("Only its provider").waitFor();
			assert.equal((await stored(DOMAIN)).enforce, true);
			await page.setViewportSize(PHONE);
			await fitsWidth(page, PHONE.width);
			noTroubles(/ (400|409) /);
		});

		test("proves a domain, says what enforcing needs, and revokes and removes", async () => {
			const { service } = pages;
			const { id } = await addProvider(service, { display_name: "Closed", enabled: false, force: true });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/providers/${id}`);
			await page.getByRole("button", { name: "Add domain" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Domain").fill("proved.example");
			await dialog.getByRole("button", { name: "Add domain" }).click();
			await region(page).getByText("_latchkey.proved.example", { exact: true }).waitFor();
			await choose(page, "proved.example", "Change…");
			await dialog.getByText("First, verify the domain.").waitFor();
			await dialog.getByRole("button", { name: "Cancel" }).click();
			const { record } = await stored("proved.example");
			dns.set(record.name, [record.value]);
			await region(page).getByRole("button", { name: "Check now" }).click();
			await page.getByText("proved.example is verified").waitFor();
			await choose(page, "proved.example", "Change…");
			await dialog.getByText("First, enable the provider.").waitFor();
			assert.equal(await dialog.getByRole("checkbox", { name: "Sign in only there" }).count(), 0);
			await dialog.getByRole("button", { name: "Cancel" }).click();

			await service.asAdmin("POST", "/api/v1/identity-providers/set-up-links", { domain: "open.example" });
			await page.goto(`${PAGES_URL}/console/providers`);
			await choose(page, "open.example", "Revoke set-up link…");
			await dialog.getByRole("button", { name: "Revoke link" }).click();
			await region(page).getByText("Expired").waitFor();
			await choose(page, "open.example", "Remove…");
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Remove" }).click();
			await page.getByRole("button", { name: "Actions for open.example" }).waitFor({ state: "detached" });
			noTroubles();
		});

		test("changes what a directory may do", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Payroll" });
			await service.asAdmin("POST", `/api/v1/applications/${id}/roles` as "/api/v1/applications/{id}/roles", {
				name: "reader",
				permissions: [],
			});
			const { issuerId } = await addDirectory(service, {}, { force: true, kind: "microsoft" });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/providers/${issuerId}`);
			await page.getByRole("button", { name: "Open directory" }).click();
			await page.getByRole("button", { name: "Change settings" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByRole("radio", { name: "Delete the account" }).check();
			await dialog.getByLabel("Existing accounts").selectOption("verified_email");
			await dialog.locator("[name='domains.0']").fill("people.example");
			await dialog.getByLabel("Prefix of its groups").fill("entra-");
			await dialog.getByRole("button", { name: "Add application" }).click();
			await dialog.getByLabel("Application", { exact: true }).selectOption({ label: "Payroll" });
			await dialog.getByRole("checkbox", { name: "reader" }).check();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Save directory" }).click();
			await page.getByText("The directory was changed").waitFor();
			await page.getByText("Delete the account with its data").waitFor();
			await page.getByText("people.example").waitFor();
			await assertAccessible(page);
			const stored = await service.asAdmin(
				"GET",
				`/api/v1/identity-providers/${issuerId}/directory` as "/api/v1/identity-providers/{id}/directory",
			);
			const { on_remove, adopt, domains, group_prefix, default_grants, client_id } = stored;
			assert.deepEqual(
				{ on_remove, adopt, domains, group_prefix, default_grants, client_id },
				{
					on_remove: "delete",
					adopt: "verified_email",
					domains: ["people.example"],
					group_prefix: "entra-",
					default_grants: [{ app_id: id, roles: ["reader"] }],
					client_id: null,
				},
			);
			noTroubles();
		});

		test("shows domains to auditors, in Chinese too", async () => {
			const { service } = pages;
			await addVerifiedDomain(service, dns, "shown.example");
			const auditor = await addPerson(service, "auditor.of.domains", { roles: ["auditor"] });
			for (const [locale, state, change] of [
				["en", "Verified", "Actions for"],
				["zh-CN", "已验证", "操作"],
			] as const) {
				const { page, noTroubles } = await pages.openAs(auditor, "/console/providers", {
					locale,
					viewport: PHONE,
				});
				await page.getByText("shown.example").first().waitFor();
				await page.getByText(state, { exact: true }).first().waitFor();
				assert.equal(await page.getByRole("button", { name: change }).count(), 0);
				await assertAccessible(page);
				await fitsWidth(page, PHONE.width);
				noTroubles();
			}
		});
	},
	() => ({ LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK }),
	{ nameServers: [dns.address] },
);
