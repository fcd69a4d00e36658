import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, createHmac, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import type { BrowserContextOptions, Page } from "playwright-core";
import { findLineDifference } from "../../pages/claim/compare-string.ts";
import { readPublicKey } from "../../pages/claim/key-pair.ts";
import { sha256, signRequest } from "../../pages/claim/sign-request.ts";
import {
	allowTestClients,
	decide,
	mailedLinks,
	mailedToken,
	QUEUE,
	REQUESTS,
	submit,
	submitApproved,
} from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const run = promisify(execFile);
const vectors = JSON.parse(readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8"));

describe("the signature of the claim page", () => {
	for (const { id, comment, ...vector } of vectors.vectors)
		test(`${id}: ${comment}`, async () => {
			const body = new Uint8Array(Buffer.from(vector.body_base64, "base64"));
			const { stringToSign, headers } = await signRequest(vectors.client, { ...vector, body });
			assert.equal(stringToSign, vector.string_to_sign);
			assert.equal(headers["X-Signature"], vector.signature);
			const digest = await sha256(body);
			assert.equal(findLineDifference(stringToSign, vectors.client, digest), undefined);
			const lines = stringToSign.split("\n");
			for (const [index, line] of lines.entries()) {
				const spoiled = lines.with(index, `${line}\r`).join("\n");
				assert.equal(findLineDifference(spoiled, vectors.client, digest)?.line, index + 1);
			}
			assert.equal(findLineDifference(`${stringToSign}\n`, vectors.client, digest)?.line, 10);
			assert.deepEqual(findLineDifference(lines.slice(0, 8).join("\n"), vectors.client, digest), {
				line: 9,
				expected: digest,
				given: null,
			});
		});

	for (const { id, ...vector } of vectors.ed25519.vectors)
		test(`${id}, with a key`, async () => {
			const { tenant_id, app_id, api_key } = vectors.client;
			const pkcs8 = createPrivateKey(vectors.ed25519.private_key_pem).export({
				format: "der",
				type: "pkcs8",
			});
			const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
			const credentials = { tenant_id, app_id, api_key, privateKey };
			const { body_base64, ...request } = vectors.vectors.find((one: { id: string }) => one.id === id);
			const body = new Uint8Array(Buffer.from(body_base64, "base64"));
			const { stringToSign, headers } = await signRequest(credentials, { ...request, body });
			assert.equal(stringToSign, vector.string_to_sign);
			assert.equal(headers["X-Signature"], vector.signature);
			assert.equal(findLineDifference(stringToSign, credentials, await sha256(body)), undefined);
			const hmac = stringToSign.replace("V1-ED25519", "V1-HMAC-SHA256");
			assert.equal(findLineDifference(hmac, credentials, await sha256(body))?.line, 1);
		});
});

describe("a pasted public key", () => {
	const { publicKey, privateKey } = generateKeyPairSync("ed25519");
	const jwk = publicKey.export({ format: "jwk" });
	const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
	const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
	const { kty, crv, x } = jwk;
	for (const [name, text, expected] of [
		["a JSON Web Key", JSON.stringify({ ...jwk, kid: "1", use: "sig" }), { kty, crv, x }],
		["PEM", pem, { kty, crv, x }],
		[
			"PEM with other line ends, and spaces around it",
			`  ${pem.replaceAll("\n", "\r\n")}\n`,
			{ kty, crv, x },
		],
		[
			"a key of another type, which the service refuses",
			JSON.stringify({ kty: "RSA", n: "AQAB", e: "AQAB" }),
			{ kty: "RSA", crv: undefined, x: undefined },
		],
		["PEM of an RSA key", rsa.publicKey.export({ format: "pem", type: "spki" }).toString(), "form"],
		["a private key in PEM", privateKey.export({ format: "pem", type: "pkcs8" }).toString(), "private"],
		[
			"an RSA private key in PEM",
			rsa.privateKey.export({ format: "pem", type: "pkcs1" }).toString(),
			"private",
		],
		["a private JSON Web Key", JSON.stringify(privateKey.export({ format: "jwk" })), "private"],
		["a key set", JSON.stringify({ keys: [privateKey.export({ format: "jwk" })] }), "form"],
		["other JSON", "null", "form"],
		["a list", JSON.stringify([jwk]), "form"],
		["an empty text", " ", "form"],
	] as const)
		test(name, () => assert.deepEqual(readPublicKey(text), expected));
});

describePages("the links in the mails", (pages) => {
	const folder = lastingFolder();

	const requestStatus = async (id: string): Promise<string> =>
		(await pages.service.call("GET", `${QUEUE}/${id}`, { token: await pages.service.adminToken() })).body.data
			.status;
	const linkOf = async (email: string, page: "claim" | "withdraw" | "test-client"): Promise<string> =>
		(await mailedLinks(pages.service, email, page))[0] as string;
	/** The text below a label. */
	const shown = async (page: Page, label: string): Promise<string> =>
		(await page.locator(`.lk-copy:has(.lk-copy__label:text-is("${label}")) code`).textContent()) ?? "";
	/** Opens the claim page of a new approved request. */
	const openClaim = async (approval = {}, options: BrowserContextOptions = {}) => {
		const { email } = await submitApproved(pages.service, approval);
		const watched = await pages.open(undefined, options);
		await watched.page.goto(await linkOf(email, "claim"));
		return watched;
	};
	const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
	const stopsWarning = (page: Page) =>
		eventually(
			() => warnsBeforeLeaving(page),
			(warns) => !warns,
		);
	const warnsBeforeLeaving = (page: Page) =>
		page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');

	test("/test-client creates a test client once, shows the made-up people, and makes a signed call", async () => {
		await allowTestClients(pages.service);
		const { email } = await submit(pages.service);
		const link = await linkOf(email, "test-client");
		const { page, requests, noTroubles } = await pages.open();
		await page.goto(link);
		await page.getByRole("heading", { level: 1, name: "Create a test client" }).waitFor();
		await assertAccessible(page);
		assert.ok(
			!requests.some((request) => request.includes("/test-client ")),
			"opening the page creates nothing",
		);
		await tabAndPress(page, "Create test client");
		await page.getByRole("heading", { level: 1, name: "Your test client" }).waitFor();
		assert.match(await shown(page, "API key"), /^ak_test_/);
		assert.match(await shown(page, "test-allowed: has every permission"), /0001$/);
		await tabAndPress(page, "Copy Secret");
		await press(page, "Make the call");
		await page.getByText("the signature was accepted").waitFor();
		await assertAccessible(page);
		noTroubles();
		const again = await pages.open();
		await again.page.goto(link);
		await press(again.page, "Create test client");
		await again.page.getByText("This link is no longer valid").waitFor();
	});

	describe("/claim", () => {
		test("works by keyboard, and warns before leaving until the Secret is copied", async () => {
			const { page, noTroubles } = await openClaim(
				{},
				{ permissions: ["clipboard-read", "clipboard-write"] },
			);
			await page.getByRole("button", { name: "Claim credentials" }).waitFor();
			await assertAccessible(page);
			assert.equal(await warnsBeforeLeaving(page), false);
			await tabAndPress(page, "Claim credentials");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
			assert.equal(await page.evaluate("document.activeElement.textContent"), "Your credentials");
			assert.equal(await warnsBeforeLeaving(page), true);
			await tabAndPress(page, "Copy API key");
			await page.getByText("Copied", { exact: true }).waitFor();
			assert.equal(await warnsBeforeLeaving(page), true);
			await tabAndPress(page, "Copy Secret");
			await page.getByText("You have copied or saved the Secret").waitFor();
			assert.equal(await page.evaluate("navigator.clipboard.readText()"), await shown(page, "Secret"));
			await stopsWarning(page);
			await tabAndPress(page, "Make the call");
			await page.getByText("the signature was accepted").waitFor();
			await page.getByText("Signed text and response").click();
			await assertAccessible(page);
			noTroubles();
		});

		test("saves a file and shows a command that make a signed call, and no longer warns before leaving", async () => {
			const { page, noTroubles } = await openClaim();
			await press(page, "Claim credentials");
			const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save as file")]);
			assert.equal(download.suggestedFilename(), "latchkey.env");
			await download.saveAs(join(folder, "latchkey.env"));
			await stopsWarning(page);
			const install = (await page.locator("pre", { hasText: "npm install" }).textContent()) ?? "";
			assert.match(install, /^npm install https:\/\/id\.example\.com\/docs\/packages\/latchkey-client-/);
			await page.locator("pre", { hasText: 'from "@latchkey/client"' }).waitFor();
			await page
				.getByRole("combobox", { name: "Signed call in a programming language" })
				.selectOption({ label: "curl, without a package" });
			assert.equal(await page.locator("pre", { hasText: "npm install" }).count(), 0);
			const code = (await page.locator("pre").last().textContent()) ?? "";
			const load = await shown(page, "Load the saved file in a shell, then paste the code");
			assert.match(
				readFileSync(join(folder, "latchkey.env"), "utf8"),
				/^LK_BASE_URL=https:\/\/id\.example\.com$/m,
			);
			const reachable = `LK_BASE_URL=https://localhost:${pages.service.httpsPort}`;
			const { stdout } = await run("sh", ["-ec", [load, reachable, code].join("\n")], {
				cwd: folder,
				env: { PATH: process.env.PATH, CURL_CA_BUNDLE: join(pages.service.dataDir, "tls-cert.pem") },
			});
			assert.equal(JSON.parse(stdout).data.client.api_key, await shown(page, "API key"));
			noTroubles();
		});

		test("signs a pasted string in the browser, and names its first wrong line", async () => {
			const { page, requests, noTroubles } = await openClaim();
			await press(page, "Claim credentials");
			const [tenant, app, key] = await Promise.all(
				["Tenant ID", "App ID", "API key"].map((label) => shown(page, label)),
			);
			const secret = await shown(page, "Secret");
			const body = '{"user_id":"ä"}';
			const digest = createHash("sha256").update(body).digest("hex");
			const target = "/api/v1/external/users/check-access";
			const lines = [
				"V1-HMAC-SHA256",
				"POST",
				target,
				tenant,
				app,
				key,
				"1760000000",
				"n0nce-AAAAAAAAAAAAAA01",
				digest,
			];
			const compare = async (text: string) => {
				await page.locator("[name=string_to_sign]").fill(text);
				await page.locator("[name=body]").fill(body);
				await press(page, "Compare");
			};
			const sent = requests.length;
			await compare(lines.with(5, `${key}x`).join("\n"));
			await page.getByText("Line 6 differs").waitFor();
			await page.getByText(JSON.stringify(`${key}x`)).waitFor();
			await assertAccessible(page);
			const text = lines.join("\n");
			await compare(text);
			await page.getByText("All nine lines are correct").waitFor();
			await page.getByText(createHmac("sha256", secret).update(text).digest("hex")).waitFor();
			assert.equal(requests.length, sent);
			noTroubles();
		});

		test("explains a call from an IP address that is not on the allowlist", async () => {
			const { page } = await openClaim({ ip_allowlist: ["203.0.113.0/24"] });
			await press(page, "Claim credentials");
			await page.getByText("203.0.113.0/24").waitFor();
			await press(page, "Make the call");
			const refusal = page.getByRole("alert");
			await refusal.waitFor();
			assert.match(
				(await refusal.textContent()) ?? "",
				/403: refused with ip\.not_allowed.*127\.0\.0\.1.*restricted to the addresses above/,
			);
			await noAxeViolations(page);
		});

		test("explains a wrong clock, and can repeat the call", async () => {
			const { page } = await openClaim();
			await press(page, "Claim credentials");
			await page.clock.install({ time: Date.now() - 3_600_000 });
			await press(page, "Make the call");
			await page.getByText("401: refused with signature.timestamp").waitFor();
			await page.getByText("This computer's clock").waitFor();
			await page.clock.setSystemTime(Date.now());
			await press(page, "Make another call");
			await page.getByText("the signature was accepted").waitFor();
		});

		test("reports a used link and shows no credentials", async () => {
			const { email } = await submitApproved(pages.service);
			const link = await linkOf(email, "claim");
			const body = { token: link.split("#")[1] };
			assert.equal((await pages.service.call("POST", `${REQUESTS}/claim`, { body })).status, 201);
			const { page } = await pages.open();
			await page.goto(link);
			await press(page, "Claim credentials");
			await page.getByText("This link is no longer valid").waitFor();
			assert.equal(await page.locator(".lk-secret").count(), 0);
			assert.equal(await page.getByRole("button", { name: "Claim credentials" }).count(), 0);
		});

		test("enables the button again after a lost response and after 503", async () => {
			const { page } = await openClaim();
			await page.route("**/claim", (route) =>
				route.request().method() === "POST" ? route.abort() : route.continue(),
			);
			await press(page, "Claim credentials");
			await page.getByText("No response arrived").waitFor();
			await page.unroute("**/claim");
			await page.route("**/api/v1/access-requests/claim", (route) =>
				route.fulfill({
					status: 503,
					headers: { "retry-after": "1", "content-type": "application/problem+json" },
					body: JSON.stringify({ code: "service.busy", detail: "the service is busy" }),
				}),
			);
			await press(page, "Claim credentials");
			await page.getByText("the service is busy").waitFor();
			await page.unroute("**/api/v1/access-requests/claim");
			await press(page, "Try again");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
		});

		test("accepts only the latest link, in Chinese", async () => {
			const { id, email } = await submitApproved(pages.service);
			await pages.service.call("POST", `${QUEUE}/${id}/resend`, {
				token: await pages.service.adminToken(),
			});
			await mailedToken(pages.service, email, "claim", 2);
			const [old, fresh] = (await mailedLinks(pages.service, email, "claim", 2)) as [string, string];
			const { page, troubles } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(old);
			await press(page, "领取凭证");
			await page.getByText("该链接已失效").waitFor();
			// Only the fragment changes, and the page reads the new token.
			await page.goto(fresh);
			await press(page, "领取凭证");
			await page.getByRole("heading", { level: 1, name: "您的凭证" }).waitFor();
			assert.equal(await page.title(), "您的凭证 · Latchkey");
			assert.match(await shown(page, "Secret"), /^sk_/);
			await press(page, "发起调用");
			await page.getByText("签名已通过").waitFor();
			// The console may report only the 404 of the old link.
			assert.ok(
				troubles.every((trouble) => trouble.includes("404")),
				troubles.join("\n"),
			);
		});

		/** Chooses a key pair of this browser, and saves it. @returns the private key of the file */
		const savePair = async (page: Page) => {
			await page.getByRole("radio", { name: "Key pair made in this browser" }).check();
			const claim = page.getByRole("button", { name: "Claim credentials" });
			const kept = page.getByRole("checkbox", { name: "I have saved the private key" });
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Save the private key" }).click(),
			]);
			assert.equal(await claim.isDisabled(), true);
			await kept.check();
			assert.equal(download.suggestedFilename(), "latchkey.pem");
			await download.saveAs(join(folder, "latchkey.pem"));
			const pem = readFileSync(join(folder, "latchkey.pem"), "utf8");
			return { pem, privateKey: createPrivateKey(pem) };
		};
		const reviewKeys = async (isOn: boolean) => {
			const { tenant_id } = await pages.service.asAdmin("GET", "/api/v1/users/me");
			await pages.service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, {
				partner_keys_need_review: isOn,
			});
		};

		test("creates a key pair, and sends the public key only after the file was saved", async () => {
			const { page, noTroubles } = await openClaim();
			const bodies: string[] = [];
			page.on("request", (request) => bodies.push(request.postData() ?? ""));
			await page.getByRole("radio", { name: "Key pair made in this browser" }).check();
			const kept = page.getByRole("checkbox", { name: "I have saved the private key" });
			await page.getByText("Save the file before you claim.").waitFor();
			assert.equal(await kept.count(), 0, "nothing to confirm before the file is offered");
			assert.equal(await page.getByRole("button", { name: "Claim credentials" }).isDisabled(), true);
			await assertAccessible(page);
			const { pem, privateKey } = await savePair(page);
			// Another choice in between keeps the pair of the saved file.
			await page.getByRole("radio", { name: "Secret", exact: true }).check();
			await page.getByRole("radio", { name: "Key pair made in this browser" }).check();
			assert.ok(
				bodies.every((body) => !body.includes("public_key")),
				"nothing is sent before",
			);
			await press(page, "Claim credentials");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
			const { x, d } = privateKey.export({ format: "jwk" });
			const sent = bodies.filter((body) => body.includes("public_key")).map((body) => JSON.parse(body));
			assert.deepEqual(
				sent.map(({ public_key }) => public_key),
				[{ kty: "OKP", crv: "Ed25519", x }],
			);
			const thumbprint = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
			assert.equal(await shown(page, "Fingerprint"), thumbprint.digest("base64url"));
			assert.equal(await page.getByText(/sk_/).count(), 0);
			assert.equal(await warnsBeforeLeaving(page), true);
			await press(page, "Make the call");
			await page.getByText("the signature was accepted").waitFor();
			await page.locator("pre", { hasText: "LK_PRIVATE_KEY_FILE" }).waitFor();
			await assertAccessible(page);
			const secret = [d ?? "", pem.split("\n")[1] ?? ""];
			assert.ok(
				bodies.every((body) => secret.every((text) => !body.includes(text))),
				"the private key is not sent",
			);
			assert.ok(!(await page.content()).includes(secret[1] ?? ""));
			const [file] = await Promise.all([page.waitForEvent("download"), press(page, "Save as file")]);
			await file.saveAs(join(folder, "latchkey.env"));
			await stopsWarning(page);
			const variables = readFileSync(join(folder, "latchkey.env"), "utf8");
			assert.match(variables, /^LK_PRIVATE_KEY_FILE=latchkey\.pem$/m);
			assert.doesNotMatch(variables, /LK_SECRET/);
			noTroubles();
		});

		test("does not repeat a claim with a key that was not saved", async () => {
			const { page } = await openClaim();
			let claims = 0;
			await page.route("**/api/v1/access-requests/claim", async (route) => {
				claims += 1;
				await route.fulfill({
					status: 503,
					headers: { "retry-after": "1" },
					json: { error: { code: "service.overloaded", message: "busy", details: [] } },
				});
			});
			await press(page, "Claim credentials");
			await page.getByRole("radio", { name: "Key pair made in this browser" }).check();
			await page.getByText("Save the file before you claim.").waitFor();
			await page.getByRole("button", { name: "Try again", exact: true }).click();
			await page.waitForTimeout(200);
			assert.equal(claims, 1);
		});

		test("loses no key with a response: the saved file signs for the claimed client", async () => {
			const { id, email } = await submitApproved(pages.service);
			const { page } = await pages.open();
			await page.goto(await linkOf(email, "claim"));
			const { privateKey } = await savePair(page);
			await page.route("**/api/v1/access-requests/claim", async (route) => {
				await route.fetch();
				await route.abort();
			});
			await press(page, "Claim credentials");
			await page.getByText("keep your private key and ask the team").waitFor();
			await page.unroute("**/api/v1/access-requests/claim");
			await press(page, "Claim credentials");
			await page.getByText("This link is no longer valid").waitFor();
			const { api_client_id } = await pages.service.asAdmin("GET", `${QUEUE}/${id}`);
			const client = await pages.service.asAdmin("GET", `/api/v1/api-clients/${api_client_id}`);
			const { status } = await pages.service.signed(
				{ ...client, secret: "", privateKey },
				"GET",
				"/api/v1/external/whoami",
			);
			assert.equal(status, 200);
		});

		test("takes a pasted public key where the browser cannot create one, and never sends a private one", async () => {
			const { page, context, requests, noTroubles } = await pages.open();
			await context.addInitScript(
				`SubtleCrypto.prototype.generateKey = () => Promise.reject(new DOMException("", "NotSupportedError"));`,
			);
			const { email } = await submitApproved(pages.service);
			await page.goto(await linkOf(email, "claim"));
			await page.getByRole("radio", { name: "Key pair made in this browser" }).check();
			await page.getByText("This browser cannot create Ed25519 keys").waitFor();
			assert.equal(await page.getByRole("button", { name: "Claim credentials" }).isDisabled(), true);
			await page.getByRole("radio", { name: "Public key of your own" }).check();
			const { publicKey, privateKey } = generateKeyPairSync("ed25519");
			const sent = requests.length;
			await page
				.getByLabel("Public key", { exact: true })
				.fill(privateKey.export({ format: "pem", type: "pkcs8" }).toString());
			await press(page, "Claim credentials");
			await page.getByText("This contains a private key. It was not sent.").waitFor();
			assert.equal(requests.length, sent);
			const field = page.getByLabel("Public key", { exact: true });
			assert.equal(await field.inputValue(), "", "the private key does not stay on the screen");
			await field.fill(JSON.stringify({ kty: "OKP", crv: "Ed25519", x: "A".repeat(43) }));
			await press(page, "Claim credentials");
			await page.getByText(/not one of small order/).waitFor();
			await assertAccessible(page);
			await field.fill(publicKey.export({ format: "pem", type: "spki" }).toString());
			await press(page, "Claim credentials");
			await page.getByText("This page does not have your private key.").waitFor();
			assert.equal(await page.getByRole("button", { name: "Make the call" }).count(), 0);
			noTroubles(/ status of 400 /);
		});

		test("says that a reviewer must accept the key, which the reviewer does in the request", async (t) => {
			await reviewKeys(true);
			t.after(() => reviewKeys(false));
			const { id, email } = await submitApproved(pages.service);
			const partner = await pages.open(undefined, { locale: "zh-CN" });
			await partner.page.goto(await linkOf(email, "claim"));
			await partner.page.getByRole("radio", { name: "在此浏览器中生成的密钥对" }).check();
			await press(partner.page, "保存私钥");
			await partner.page.getByRole("checkbox", { name: "我已保存私钥" }).check();
			await press(partner.page, "领取凭证");
			await partner.page.getByText("您的密钥需先由审核人接受").waitFor();
			await press(partner.page, "发起调用");
			await partner.page.getByText("审核人可能尚未接受您的密钥").waitFor();
			await assertAccessible(partner.page);
			const keyId = await shown(partner.page, "指纹");

			const reviewer = await addPerson(pages.service, "key-reviewer", { roles: ["reviewer"] });
			const { page, noTroubles } = await pages.openAs(reviewer, `/console/requests/${id}?status=approved`);
			await page.getByText("Not reviewed").waitFor();
			assert.equal(await shown(page, "Fingerprint"), keyId);
			assert.equal(await page.getByRole("button", { name: "Remove" }).count(), 0);
			await assertAccessible(page);
			await press(page, "Accept");
			await page.getByRole("dialog").getByText(keyId).waitFor();
			await noAxeViolations(page);
			await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
			await page.getByText("Not reviewed").waitFor({ state: "detached" });
			noTroubles();
			await press(partner.page, "再次调用");
			await partner.page.getByText("签名已通过").waitFor();
		});

		test("shows no button without a token", async () => {
			const { page } = await pages.open("/claim");
			await page.getByText("The URL is incomplete").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
		});
	});

	describe("/withdraw", () => {
		test("withdraws by keyboard when the button is pressed, not when the page opens", async () => {
			const { id, email } = await submit(pages.service, {
				company: "<b>ACME</b>",
				project_name: "Stock list",
			});
			const link = await linkOf(email, "withdraw");
			const { page, requests, noTroubles } = await pages.open();
			await page.goto(link);
			await page.getByRole("button", { name: "Withdraw request" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/withdraw`);
			const summary = (await page.locator(".lk-descriptions").textContent()) ?? "";
			for (const text of ["Stock list", "<b>ACME</b>", "Waiting for review"])
				assert.ok(summary.includes(text));
			assert.equal(await requestStatus(id), "pending");
			await assertAccessible(page);
			await tabAndPress(page, "Withdraw request");
			await page.getByRole("heading", { name: "Your request was withdrawn" }).waitFor();
			assert.equal(await requestStatus(id), "withdrawn");
			assert.ok(requests.every((request) => !request.includes(link.split("#")[1] as string)));
			await noAxeViolations(page);
			noTroubles();
		});

		test("reports that a decided request cannot be withdrawn", async () => {
			const { id, email } = await submit(pages.service);
			const link = await linkOf(email, "withdraw");
			await decide(pages.service, id, "reject");
			const { page } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(link);
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
			assert.equal(await requestStatus(id), "rejected");
		});

		test("reports that the request was decided while the page was open", async () => {
			const { id, email } = await submit(pages.service);
			const { page } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByText("等待审核").waitFor();
			await decide(pages.service, id, "reject");
			await press(page, "撤回申请");
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await requestStatus(id), "rejected");
		});

		test("offers only a retry if the request cannot be loaded", async () => {
			const { email } = await submit(pages.service, { project_name: "Later" });
			const { page } = await pages.open();
			await page.route("**/withdraw/preview", (route) => route.abort());
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByRole("button", { name: "Try again" }).waitFor();
			assert.equal(await page.getByRole("button", { name: "Withdraw request" }).count(), 0);
			await page.unroute("**/withdraw/preview");
			await press(page, "Try again");
			await page.getByText("Later", { exact: true }).waitFor();
		});
	});
});
