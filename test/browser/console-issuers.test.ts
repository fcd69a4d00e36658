// Issuers of workloads in the console, and clients that authenticate with their tokens instead of a secret.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { APPLICATIONS, addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { makeClientKey, sendAssertion } from "../harness/openid/client-assertion.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addIssuer, type Platform, platformToken, startPlatform } from "../harness/openid/workloads.ts";
import { addPerson } from "../harness/people/people.ts";
import { addDirectory } from "../harness/providers/directories.ts";
import { IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { ADMIN } from "../harness/service/service.ts";
import { RECEIVER_NETWORK } from "../harness/webhooks/webhook-receiver.ts";

const API = "https://billing.example";
const GITHUB = "https://token.actions.githubusercontent.com";

describePages(
	"issuers of workloads in the console",
	(pages) => {
		const platforms: Platform[] = [];
		after(async () => {
			for (const { server } of platforms) await server.close();
		});
		const open = (id: string, locale = "en") =>
			pages.openAs(ADMIN, `/console/applications/${id}#connect`, { locale });

		test("gives a provider a directory, and shows its token once and what it sent", async () => {
			const directory = await addDirectory(pages.service, {}, { force: true });
			await directory.scim("GET", "Users");
			const { page } = await pages.openAs(ADMIN, `/console/providers/${directory.issuerId}`);
			await page.getByRole("button", { name: "Open directory" }).click();
			await page.getByText(`/scim/v2/${directory.issuerId}`).first().waitFor();
			await page.getByRole("button", { name: "Rotate token" }).click();
			const dialog = page.getByRole("dialog", { name: "The token of the directory" });
			await dialog.getByText(/^lks_/).first().waitFor();
			await dialog.getByRole("checkbox", { name: "I have entered the token" }).check();
			await dialog.getByRole("button", { name: "Done" }).click();
			for (;;) {
				await page.getByRole("button", { name: "Reload" }).click();
				const line = page.getByText("GET Users → 200");
				if (await line.isVisible()) break;
				await page.waitForTimeout(200);
			}
			await assertAccessible(page);
		});

		test("asks for what each use needs, tests the keys, and keeps an issuer that is in use", async () => {
			const platform = await startPlatform();
			platforms.push(platform);
			const { page, troubles } = await pages.openAs(ADMIN, "/console/providers");
			await page.getByRole("button", { name: "Add provider" }).click();
			const dialog = page.getByRole("dialog", { name: "Add provider" });
			await dialog.getByLabel("Kind").selectOption({ label: "OpenID Connect" });
			await dialog.getByRole("checkbox", { name: "Sign-in" }).uncheck();
			await dialog.getByRole("button", { name: "Add provider" }).click();
			await dialog.getByText("Choose at least one.").waitFor();
			await dialog.getByRole("checkbox", { name: "Assertions" }).check();
			await dialog.getByLabel("A person is named by").waitFor();
			await dialog.getByText("Values of acr that mean two factors").first().waitFor();
			assert.equal(await dialog.getByLabel("Audience").count(), 0);
			await dialog.getByRole("checkbox", { name: "Workloads" }).check();
			await dialog.getByLabel("Audience").waitFor();
			await dialog.getByRole("checkbox", { name: "Assertions" }).uncheck();
			assert.equal(await dialog.getByLabel("A person is named by").count(), 0);
			for (const name of ["Client ID", "Client secret", "Allow sign-up"])
				assert.equal(await dialog.getByLabel(name, { exact: true }).count(), 0, name);
			await dialog.getByLabel("Name", { exact: true }).fill("Our pipelines");
			await dialog.getByLabel("Issuer").fill(platform.issuer);
			await dialog.getByLabel("Short name").fill("pipelines");
			await dialog.getByRole("radio", { name: "Paste them here" }).check();
			await dialog.getByLabel("Key set (JWKS)").fill("not JSON");
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Add provider" }).click();
			await dialog.getByText("Enter a key set in JSON.").waitFor();
			await dialog.getByLabel("Key set (JWKS)").fill(JSON.stringify({ keys: [{ kty: "DSA" }] }));
			await dialog.getByRole("button", { name: "Add provider" }).click();
			await dialog.getByText("must have kty EC, RSA, or OKP").first().waitFor();
			await dialog.getByLabel("Key set (JWKS)").fill(JSON.stringify(platform.key.publicJwk));
			await tabAndPress(page, "Add provider");
			await page.getByRole("heading", { level: 1, name: "Our pipelines" }).waitFor();
			await page.getByText("Pasted", { exact: false }).first().waitFor();
			await assertAccessible(page);

			await page.getByRole("radio", { name: "Where its discovery document says" }).check();
			await page.getByRole("checkbox", { name: "Assertions" }).check();
			assert.equal(await page.getByLabel("Email addresses that count").inputValue(), "verified");
			await page.getByRole("checkbox", { name: "Assertions" }).uncheck();
			await page.getByLabel("Audience").fill("latchkey");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The provider was changed").waitFor();
			await page.getByRole("button", { name: "Test this provider" }).click();
			await page.getByText("Its keys can be used.").waitFor();
			platform.publish();
			await page.getByRole("button", { name: "Test this provider" }).click();
			await page.getByText("the key set has no usable public key").waitFor();
			const id = page.url().split("/").at(-1) ?? "";
			const stored = await pages.service.call("GET", `${IDENTITY_PROVIDERS}/${id}`, {
				token: await pages.service.adminToken(),
			});
			const { uses, jwks, audience, client_id } = stored.body.data;
			assert.deepEqual([uses, jwks, audience, client_id], [["workloads"], null, "latchkey", null]);

			const { id: application } = await addApplication(pages.service, { name: "Deployments" });
			const workloads = [{ issuer_id: id, subject: "repo:acme/shop:pull_request" }];
			await putOAuthClient(
				pages.service,
				{ type: "service", auth_method: "workload", workloads },
				application,
			);
			await page.getByRole("button", { name: "More actions" }).click();
			await page.getByRole("menuitem", { name: "Delete" }).click();
			await page.getByLabel(/^Type “/).fill("Our pipelines");
			await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
			await page.getByRole("dialog").getByText("Deployments").waitFor();
			await noAxeViolations(page);
			assert.deepEqual(
				troubles.filter((trouble) => !/ (400|409) /.test(trouble)),
				[],
			);
		});

		test("connects a repository without a secret, shows its lines, and accepts its tokens", async () => {
			const { service } = pages;
			await putOAuthClient(service, { resource: API });
			const key = await makeClientKey("RS256");
			const issuerId = await addIssuer(service, GITHUB, {
				display_name: "GitHub Actions",
				jwks: { keys: [key.publicJwk] },
			});
			const { id } = await addApplication(service, { name: "Nightly" });
			await putOAuthClient(service, { type: "service", allowed_resources: [API] }, id);
			const { page, troubles } = await open(id);
			await page.getByRole("button", { name: "Change settings" }).click();
			await page.getByLabel("Client authentication").selectOption("workload");
			const save = () => page.getByRole("button", { name: "Save" }).click();
			await save();
			await page.getByText("Choose the issuer.").waitFor();
			await page.getByText("Enter a path such as acme/shop or acme/*.").waitFor();
			await page.getByLabel("Issuer of its tokens").selectOption({ label: "GitHub Actions" });
			assert.equal(await page.getByLabel("Platform").inputValue(), "github");
			await page.getByLabel("Repository").fill("acme/shop");
			await page.getByText("repo:acme/shop:*", { exact: true }).waitFor();
			await page.getByText("The * also admits").waitFor();
			await page.getByText("pull requests from forks, if a workflow runs on pull_request_target").waitFor();
			await assertAccessible(page);
			await page.getByLabel("Environment").fill("production");
			await page.getByText("repo:acme/shop:environment:production", { exact: true }).waitFor();
			assert.equal(await page.getByText("The * also admits").count(), 0);
			await tabAndPress(page, "Add workload");
			await page.getByLabel("Issuer of its tokens").nth(1).selectOption({ label: "GitHub Actions" });
			await page.getByLabel("Platform").nth(1).selectOption("other");
			await page.getByLabel("Subject", { exact: true }).fill("repo:*");
			await save();
			// Said by the API, beside the field.
			await page.locator("[name='workloads.1.subject'][aria-invalid=true]").waitFor();
			await page.getByText("must be exact, or end with /* or :*").first().waitFor();
			await page.getByRole("button", { name: "Remove workload 2" }).click();
			await save();
			const card = page.getByRole("region", { name: "Paste into your pipeline" });
			await card.getByText(".github/workflows/deploy.yml", { exact: true }).first().waitFor();
			const code = (await card.locator("pre").textContent()) ?? "";
			for (const line of [
				`environment: "production"`,
				`LK_BASE_URL: ${PAGES_URL}`,
				`CLIENT_ID: ${id}`,
				`RESOURCE: ${API}`,
				`audience=${PAGES_URL}`,
			])
				assert.ok(code.includes(line), line);
			assert.ok(!code.includes("branches:"));
			await page.getByText("none: authenticates with the token of its platform").waitFor();
			await assertAccessible(page);

			const claims = { aud: PAGES_URL, repository: "acme/shop", environment: "production" };
			const by = { issuer: GITHUB, key };
			const token = await platformToken(service, by, "repo:acme/shop:environment:production", { claims });
			const { status } = await sendAssertion(service, token, { client_id: id, resource: API });
			assert.equal(status, 200);
			const { workloads } = (
				await service.call("GET", `${APPLICATIONS}/${id}/oauth-client`, { token: await service.adminToken() })
			).body.data;
			assert.equal(workloads[0]?.issuer_id, issuerId);
			assert.deepEqual(
				troubles.filter((trouble) => !/ 400 /.test(trouble)),
				[],
			);
		});

		test("creates an admin key without a secret, which works with a token of the platform", async () => {
			const { service } = pages;
			const key = await makeClientKey("RS256");
			const issuer = "https://gitlab.keys.example";
			await addIssuer(service, issuer, { display_name: "GitLab", jwks: { keys: [key.publicJwk] } });
			const { page, troubles } = await pages.openAs(ADMIN, "/console/keys");
			await page.getByRole("button", { name: "Create key" }).first().click();
			const dialog = page.getByRole("dialog", { name: "Create key" });
			await dialog.getByLabel("Name").fill("Configuration");
			await dialog.getByRole("checkbox", { name: "Platform administrator" }).check();
			await dialog.getByRole("radio", { name: "No secret" }).check();
			assert.equal(await dialog.getByRole("checkbox", { name: "Platform administrator" }).count(), 0);
			await dialog.getByRole("button", { name: "Create key" }).click();
			await dialog.getByText("Choose the issuer.").waitFor();
			await dialog.getByText("Choose at least one role.").waitFor();
			await dialog.getByLabel("Issuer of its tokens").selectOption({ label: "GitLab" });
			await dialog.getByLabel("Project path").fill("acme/infra");
			await dialog.getByRole("textbox", { name: "Branch" }).fill("main");
			await dialog.getByRole("checkbox", { name: "Auditor" }).check();
			await noAxeViolations(page);
			await dialog.getByRole("button", { name: "Create key" }).click();
			const made = page.getByRole("dialog", { name: "New admin key" });
			const line = (await made.locator("pre").textContent()) ?? "";
			const [, start] = /"(lk_[\da-f-]+\.)\$TOKEN"/.exec(line) ?? assert.fail(line);
			await noAxeViolations(page);
			await made.getByRole("button", { name: "Done" }).click();
			const subject = "project_path:acme/infra:ref_type:branch:ref:main";
			await page
				.getByRole("row", { name: /Configuration/ })
				.getByText(subject)
				.waitFor();
			await assertAccessible(page);

			const claims = { aud: PAGES_URL, project_path: "acme/infra", ref_type: "branch", ref: "main" };
			const users = async (sub: string) => {
				const token = await platformToken(service, { issuer, key }, sub, { claims });
				return (await service.call("GET", "/api/v1/users", { token: `${start}${token}` })).status;
			};
			assert.equal(await users(subject), 200);
			assert.equal(await users("project_path:acme/other:ref_type:branch:ref:main"), 401);
			assert.deepEqual(
				troubles.filter((trouble) => !/ 400 /.test(trouble)),
				[],
			);
		});

		test("shows what is stored, in Chinese and to auditors", async () => {
			const { service } = pages;
			const auditor = await addPerson(service, "auditor.of.issuers", { roles: ["auditor"] });
			const issuer_id = await addIssuer(service, "https://kubernetes.internal.example", {
				display_name: "Cluster",
				jwks: { keys: [(await makeClientKey()).publicJwk] },
			});
			const { id } = await addApplication(service, { name: "Worker" });
			const workloads = [{ issuer_id, subject: "system:serviceaccount:prod:*" }];
			await putOAuthClient(service, { type: "service", auth_method: "workload", workloads }, id);
			const { page, noTroubles } = await pages.openAs(auditor, `/console/applications/${id}#connect`);
			const card = page.getByRole("region", { name: "Paste into your pipeline" });
			await card.getByText("pod.yaml", { exact: true }).first().waitFor();
			await card.getByText("The client may obtain tokens for no API yet.").waitFor();
			await page.goto(`${PAGES_URL}/console/providers/${issuer_id}`);
			await page.getByText("https://kubernetes.internal.example").waitFor();
			assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
			await assertAccessible(page);
			noTroubles();

			const chinese = await open(id, "zh-CN");
			await chinese.page.getByText("粘贴到您的流水线").waitFor();
			await chinese.page.getByRole("button", { name: "更改设置" }).click();
			await chinese.page.getByText("该命名空间的每个服务账户，即所有可以在其中创建 Pod 的人").waitFor();
			await assertAccessible(chinese.page);
			chinese.noTroubles();
		});
	},
	() => ({
		LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
		LATCHKEY_PROVIDER_ALLOWED_NETWORKS: RECEIVER_NETWORK,
	}),
);
