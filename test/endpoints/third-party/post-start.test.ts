import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID, addApplication } from "../../harness/applications.ts";
import { addProvider } from "../../harness/identity-providers.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const URI = "https://app.example.com/Back?a=1%20b_c";
const PUBLIC_URL = "https://id.latchkey.example";

describe("POST /api/v1/auth/third-party/{provider}/start", () => {
	let service: TestService;
	let appId: string;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL } });
		await addProvider(service, { provider: "corp" });
		await addProvider(service, { provider: "off", enabled: false });
		appId = (await addApplication(service, { redirect_uris: [URI, "http://localhost:3000/back"] })).id;
	});
	after(() => service.stop());

	const start = (body: unknown, slug = "corp", headers: Record<string, string> = {}) =>
		service.call("POST", `/api/v1/auth/third-party/${slug}/start`, {
			body,
			headers: { accept: "application/problem+json", ...headers },
		});

	describe("200", () => {
		it("answers an address of this service, new each time, for any Host", async () => {
			const answer = await start({ redirect_uri: URI }, "corp", { host: "evil.example" });
			assert.equal(answer.status, 200);
			const { authorization_url, ...rest } = answer.body.data;
			assert.deepEqual(rest, { expires_in: 600 });
			const url = new URL(authorization_url);
			assert.equal(url.origin + url.pathname, `${PUBLIC_URL}/api/v1/auth/third-party/corp/begin`);
			assert.match(url.search, /^\?attempt=[A-Za-z0-9_-]{43}$/);
			assert.equal(answer.headers["cache-control"], "no-store");
			assert.equal(answer.headers["set-cookie"], undefined);
			const again = await start({ redirect_uri: URI, app_id: appId });
			assert.notEqual(again.body.data.authorization_url, authorization_url);
		});

		it("takes http on a loopback host, and a challenge", async () => {
			const body = { redirect_uri: "http://localhost:3000/back", code_challenge: "x".repeat(43) };
			assert.equal((await start(body)).status, 200);
		});
	});

	describe("400", () => {
		it("refuses a URI that is not registered character by character", async () => {
			for (const redirect_uri of [
				"https://evil.example/",
				`${URI}&x=1`,
				`${URI} `,
				` ${URI}`,
				URI.replace("Back", "back"),
				URI.replace("b_c", "bXc"),
				URI.replace("https", "http"),
				URI.replace("app.example.com", "app.example.com.evil.example"),
				URI.replace("https://", "https://a@"),
				`${URI}#`,
				"javascript:alert(1)",
				"%",
				'","',
			]) {
				const { status, body } = await start({ redirect_uri });
				assert.deepEqual([status, body.code], [400, "redirect_uri.not_registered"], redirect_uri);
			}
		});

		it("refuses another application's address, one of a disabled application, and an unknown application", async () => {
			const uri = "https://other.example.com/back";
			const other = await addApplication(service, { redirect_uris: [uri] });
			const disabled = "https://disabled.example.com/back";
			await addApplication(service, { redirect_uris: [disabled], status: "disabled" });
			for (const body of [
				{ redirect_uri: URI, app_id: other.id },
				{ redirect_uri: uri, app_id: appId },
				{ redirect_uri: URI, app_id: ABSENT_ID },
				{ redirect_uri: disabled },
			])
				assert.equal((await start(body)).body.code, "redirect_uri.not_registered");
		});

		it("refuses another tenant's address", async () => {
			const tenant = await addSecondTenant(service);
			await addProvider(service, { provider: "corp" }, tenant.adminToken);
			const { status, body } = await start({ redirect_uri: URI }, "corp", { "x-tenant-id": tenant.id });
			assert.deepEqual([status, body.code], [400, "redirect_uri.not_registered"]);
		});

		it("names the field that is missing or malformed", async () => {
			for (const [body, field] of [
				[{}, "redirect_uri"],
				[{ redirect_uri: "x".repeat(2049) }, "redirect_uri"],
				[{ redirect_uri: URI, app_id: "none" }, "app_id"],
				[{ redirect_uri: URI, code_challenge: "short" }, "code_challenge"],
				[{ redirect_uri: URI, code_challenge: "+".repeat(43) }, "code_challenge"],
			] as const) {
				const answer = await start(body);
				assert.equal(answer.status, 400);
				assert.deepEqual(
					answer.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			}
		});
	});

	describe("404", () => {
		it("refuses a provider that is disabled, another tenant's, absent or malformed, and an absent tenant", async () => {
			const tenant = await addSecondTenant(service);
			await addProvider(service, { provider: "theirs" }, tenant.adminToken);
			for (const slug of ["off", "theirs", "none", "Corp", "corp%20", "-"]) {
				const { status, body } = await start({ redirect_uri: URI }, slug);
				assert.deepEqual([status, body.code], [404, "identity_provider.not_found"], slug);
			}
			assert.equal((await start({ redirect_uri: URI }, "corp", { "x-tenant-id": ABSENT_ID })).status, 404);
		});
	});
});
