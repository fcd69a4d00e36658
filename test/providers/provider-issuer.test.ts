// The issuer of an identity provider is compared with the provider's discovery document when it is saved.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { ABSENT_ID, problemOf } from "../harness/access/applications.ts";
import { addPerson } from "../harness/people/people.ts";
import {
	BAD_CLIENT,
	type BadProvider,
	type Misbehavior,
	sendJson,
	startBadProvider,
} from "../harness/providers/bad-provider.ts";
import { providerBody } from "../harness/providers/identity-providers.ts";
import { IDENTITY_PROVIDERS, PROVIDER_NETWORK } from "../harness/providers/third-party.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const SUFFIX = "/.well-known/openid-configuration";

describe("the issuer of an identity provider", () => {
	let service: TestService;
	let provider: BadProvider;
	before(async () => {
		[service, provider] = await Promise.all([
			startTestService({ env: { LATCHKEY_PROVIDER_ALLOWED_NETWORKS: PROVIDER_NETWORK } }),
			startBadProvider(),
		]);
	});
	beforeEach(() => provider.misbehave());
	after(() => Promise.all([service.stop(), provider.close()]));

	const create = (fields: Readonly<Record<string, unknown>> = {}) =>
		problemOf(service, "POST", IDENTITY_PROVIDERS, {
			...providerBody({ issuer: provider.issuer, ...BAD_CLIENT, ...fields }),
		});
	const saved = async (fields: Readonly<Record<string, unknown>> = {}) => {
		const body = providerBody({ issuer: provider.issuer, ...BAD_CLIENT, ...fields });
		return await service.asAdmin("POST", IDENTITY_PROVIDERS, body);
	};
	/** Refused, with or without `force`. */
	const refused = async (
		fields: Readonly<Record<string, unknown>>,
		code: string,
		message: RegExp | string,
	): Promise<void> => {
		for (const force of [undefined, false, true]) {
			const response = await create({ ...fields, force });
			assert.deepEqual([response.status, response.code, response.fields], [400, code, ["issuer"]]);
			if (typeof message === "string") assert.equal(response.messages[0], message);
			else assert.match(String(response.messages[0]), message);
		}
	};
	const mustBe = (issuer: string) =>
		`must be ${issuer}, as the discovery document names it, character by character`;

	it("is saved if the document names it, which is read each time and without the secret", async () => {
		assert.equal((await saved()).issuer, provider.issuer);
		await saved({ kind: "gitlab" });
		assert.deepEqual(
			provider.received.map(({ method, path, headers }) => [method, path, headers.authorization]),
			[
				["GET", SUFFIX, undefined],
				["GET", SUFFIX, undefined],
			],
		);
	});

	it("is refused if it differs by the last slash, with the right value", async () => {
		await refused({ issuer: `${provider.issuer}/` }, "issuer.mismatch", mustBe(provider.issuer));
		await refused(
			{ issuer: `${provider.issuer}/`, kind: "gitlab" },
			"issuer.mismatch",
			mustBe(provider.issuer),
		);
		provider.misbehave({ document: { issuer: `${provider.issuer}/` } });
		await refused({}, "issuer.mismatch", mustBe(`${provider.issuer}/`));
		assert.equal((await saved({ issuer: `${provider.issuer}/` })).issuer, `${provider.issuer}/`);
	});

	it("is refused if the document names another path or spelling", async () => {
		for (const issuer of [
			`${provider.issuer}/realms/a`,
			provider.issuer.replace("127.0.0.1", "127.0.0.01"),
		]) {
			provider.misbehave({ document: { issuer } });
			await refused({}, "issuer.mismatch", mustBe(issuer));
		}
	});

	it("is refused if the URL of the document was pasted, with the right value", async () => {
		await refused({ issuer: provider.issuer + SUFFIX }, "issuer.mismatch", mustBe(provider.issuer));
		await refused({ issuer: `${provider.issuer}${SUFFIX}/` }, "issuer.mismatch", mustBe(provider.issuer));
		provider.misbehave({ document: { issuer: `${provider.issuer}/` } });
		await refused({ issuer: provider.issuer + SUFFIX }, "issuer.mismatch", mustBe(`${provider.issuer}/`));
		provider.misbehave({ discovery: (response) => void response.writeHead(503).end() });
		await refused({ issuer: provider.issuer + SUFFIX }, "issuer.mismatch", mustBe(provider.issuer));
		const microsoft = "https://login.microsoftonline.com/common/v2.0";
		await refused({ kind: "microsoft", issuer: microsoft + SUFFIX }, "issuer.mismatch", mustBe(microsoft));
	});

	it("is refused without the value of the document if that could not be saved either", async () => {
		for (const issuer of [
			"http://login.partner.example",
			"https://10.0.0.1/",
			"https://ann:secret@login.partner.example",
			"https://login.partner.example/?a",
			"https://login.partner.example/\u202e",
			`https://login.partner.example/${"x".repeat(2_048)}`,
			`${provider.issuer}${SUFFIX}`,
			"javascript:alert(1)",
			"",
		]) {
			provider.misbehave({ document: { issuer } });
			await refused({}, "issuer.mismatch", "is not the issuer that its discovery document names");
		}
	});

	it("is refused if its document is unusable, although it can be reached", async () => {
		const table: readonly (readonly [Misbehavior, RegExp])[] = [
			[
				{ discovery: (response) => void response.writeHead(404).end() },
				/no discovery document at the issuer: 404/,
			],
			[{ discovery: (response) => void response.writeHead(302, { location: "/" }).end() }, /redirect/],
			[{ discovery: (response) => sendJson(response, []) }, /names no issuer/],
			[
				{
					discovery: (response) =>
						void response.writeHead(200, { "content-type": "application/json" }).end("<html>"),
				},
				/cannot be used/,
			],
			[
				{ discovery: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("{}") },
				/something other than JSON/,
			],
			[{ document: { issuer: null } }, /names no issuer/],
			[{ document: { issuer: 7 } }, /names no issuer/],
			[{ document: { token_endpoint: null } }, /no https URL as token_endpoint/],
			[{ document: { jwks_uri: "http://127.0.0.1/" } }, /no https URL as jwks_uri/],
			[{ document: { userinfo_endpoint: "/userinfo" } }, /no https URL as userinfo_endpoint/],
			[{ document: { authorization_endpoint: "https://10.0.0.1/" } }, /not on the public Internet/],
			[{ document: { userinfo_endpoint: "https://169.254.169.254/" } }, /not on the public Internet/],
		];
		for (const [how, message] of table) {
			provider.misbehave(how);
			await refused({}, "request.invalid", message);
		}
	});

	it("is saved while the provider is unreachable only with force", async () => {
		const unreachable = await startBadProvider();
		await unreachable.close();
		provider.misbehave({ discovery: (response) => void response.writeHead(502).end() });
		for (const { issuer } of [unreachable, provider]) {
			const response = await create({ issuer });
			assert.deepEqual([response.status, response.code], [400, "request.invalid"]);
			assert.match(String(response.messages[0]), /^cannot be reached: .*; send force to save it anyway$/);
			assert.equal((await create({ issuer, force: false })).status, 400);
			assert.equal((await saved({ issuer, force: true })).issuer, issuer);
		}
		const { fields } = await create({ force: "yes" });
		assert.deepEqual(fields, ["force"]);
	});

	it("is refused at an address that is not allowed, also with force and by name", async () => {
		await refused({ issuer: "https://10.0.0.1" }, "request.invalid", /private or reserved address/);
		// Resolves to ::1 too, which the network of the test providers does not contain.
		const byName = provider.issuer.replace("127.0.0.1", "idp.localhost");
		await refused(
			{ issuer: byName },
			"request.invalid",
			/private or reserved address|not on the public Internet/,
		);
		assert.deepEqual(provider.received, []);
	});

	describe("of an existing provider", () => {
		const patch = async (id: string, body: Readonly<Record<string, unknown>>) =>
			await problemOf(service, "PATCH", `${IDENTITY_PROVIDERS}/${id}`, body);

		it("is compared only if it changes", async () => {
			const { id } = await saved();
			provider.misbehave({ discovery: (response) => void response.writeHead(502).end() });
			for (const body of [
				{ display_name: "New" },
				{ issuer: provider.issuer },
				{ enabled: false, force: true },
			])
				assert.equal((await patch(id, body)).status, 200);
			assert.deepEqual(provider.received, []);
			const other = provider.issuer.replace("127.0.0.1", "127.0.0.2");
			const response = await patch(id, { issuer: other });
			assert.deepEqual([response.status, response.fields], [400, ["issuer"]]);
			assert.equal((await patch(id, { issuer: other, force: true })).status, 200);
			provider.misbehave();
			const slash = await patch(id, { issuer: `${provider.issuer}/`, force: true });
			assert.deepEqual(
				[slash.status, slash.code, slash.messages],
				[400, "issuer.mismatch", [mustBe(provider.issuer)]],
			);
			assert.equal((await patch(id, { issuer: provider.issuer })).status, 200);
		});

		it("cannot change while accounts are linked, even to the one in its document", async () => {
			const { id, provider: slug } = await saved();
			const person = await addPerson(service, "linked-to-issuer");
			const account = { provider: slug, provider_user_id: "1" };
			await service.asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, account);
			provider.misbehave();
			const response = await patch(id, { issuer: `${provider.issuer}/` });
			assert.deepEqual([response.status, response.code], [409, "identity_provider.in_use"]);
			assert.deepEqual(provider.received, []);
		});

		it("is not read for a provider that does not exist", async () => {
			const response = await patch(ABSENT_ID, { issuer: provider.issuer });
			assert.deepEqual([response.status, response.code], [404, "identity_provider.not_found"]);
			assert.deepEqual(provider.received, []);
		});
	});
});
