import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID, addApplication, type CreatedApplication } from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addTenant } from "../../harness/tenants.ts";

const PATH = "/api/v1/auth/applications";
const REDIRECT_URI = "https://app.example.com/back?from=login";

describe("GET /api/v1/auth/applications/{id}", () => {
	let service: TestService;
	let app: CreatedApplication;
	before(async () => {
		service = await startTestService();
		app = await addApplication(service, {
			redirect_uris: [REDIRECT_URI, "https://app.example.com/other"],
			homepage_url: "https://app.example.com",
		});
	});
	after(() => service.stop());

	const get = (id: string, redirectUri: string, headers = {}) =>
		service.call("GET", `${PATH}/${id}?redirect_uri=${encodeURIComponent(redirectUri)}`, { headers });

	describe("200", () => {
		it("shows the application, and nothing of who may use it", async () => {
			const { status, body } = await get(app.id, REDIRECT_URI);
			assert.equal(status, 200);
			const { id, name, description, homepage_url, logo_url } = app;
			assert.deepEqual(body, { data: { id, name, description, homepage_url, logo_url } });
		});
	});

	describe("400", () => {
		it("refuses an address that is too long or given twice", async () => {
			assert.equal((await get(app.id, `https://${"x".repeat(3_000)}`)).status, 400);
			const twice = `${PATH}/${app.id}?redirect_uri=a&redirect_uri=b`;
			assert.equal((await service.call("GET", twice)).status, 400);
		});
	});

	describe("404", () => {
		it("answers every other address, application and tenant alike", async () => {
			const disabled = await addApplication(service, { redirect_uris: [REDIRECT_URI], status: "disabled" });
			const other = await addTenant(service);
			const asked = [
				...strangers(REDIRECT_URI).map((uri) => get(app.id, uri)),
				get(ABSENT_ID, REDIRECT_URI),
				get(disabled.id, REDIRECT_URI),
				get(app.id, REDIRECT_URI, { "x-tenant-id": other.id }),
				service.call("GET", `${PATH}/${app.id}`),
			];
			for (const { status, body } of await Promise.all(asked))
				assert.deepEqual([status, body], [404, { error: "no application has this id and redirect URI" }]);
		});
	});
});

/** What an attacker would try instead of a registered address. */
function strangers(registered: string): string[] {
	return [
		"",
		"https://evil.example",
		`${registered}&more`,
		`${registered}#`,
		registered.toUpperCase(),
		registered.replace("https://app.example.com", "https://app.example.com.evil.example"),
		registered.replace("https://app.example.com", "https://app.example.com@evil.example"),
		registered.replace("/back", "/./back"),
		registered.replace("/back", "/%62ack"),
		registered.slice(0, -1),
		` ${registered}`,
	];
}
