// Requests that name an API many times cost as much as one that names it once.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Context, errors } from "oidc-provider";
import type { ProviderParts } from "../../src/adapters/oidc/parts.ts";
import { resourceIndicators } from "../../src/adapters/oidc/resources.ts";
import { ALLOWED_RESOURCES_MAX } from "../../src/domain/oauth-client.ts";
import { createOpenIdRules } from "../../src/features/identity/oauth/openid-rules.ts";
import {
	CALLBACK,
	type ConnectedClient,
	connect,
	idOf,
	openIdService,
	postForm,
	signedInBrowser,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const ORDERS = "https://orders.example/api";
const STOCK = "urn:example:stock";
const ALLOWED = { allowedResources: [ORDERS, STOCK] };

describe("an API that a request names many times", () => {
	const service = openIdService();
	let browser: TestBrowser;
	let session: string;
	let tv: ConnectedClient;
	let spa: ConnectedClient;
	let worker: ConnectedClient;
	before(async () => {
		await connect(service, { resource: ORDERS }, { name: "Orders" });
		await connect(service, { resource: STOCK }, { name: "Stock" });
		tv = await connect(service, { type: "native", authMethod: "none", ...ALLOWED }, { redirect_uris: [] });
		spa = await connect(service, { type: "spa", authMethod: "none", ...ALLOWED });
		worker = await connect(service, { type: "service", authMethod: "client_secret_post", ...ALLOWED });
		const ada = await addPerson(service, "ada");
		({ browser, token: session } = await signedInBrowser(service, ada));
	});

	const copies = (parameters: Record<string, string>, times: number, resource = ORDERS): URLSearchParams =>
		new URLSearchParams([
			...Object.entries(parameters),
			...Array.from({ length: times }, () => ["resource", resource]),
		]);
	const authorization = (times: number) =>
		copies(
			{
				client_id: spa.id,
				response_type: "code",
				scope: "openid openid",
				redirect_uri: CALLBACK,
				code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
				code_challenge_method: "S256",
			},
			times,
		);
	const device = (times: number) => copies({ client_id: tv.id, scope: "openid openid" }, times);
	const token = (times: number) =>
		copies({ grant_type: "client_credentials", client_id: worker.id, client_secret: worker.secret }, times);
	const post = (path: string, fields: URLSearchParams) =>
		postForm<Record<string, string>>(service, path, fields);

	it("is refused beyond the limit of APIs per client, at each endpoint", async () => {
		const times = ALLOWED_RESOURCES_MAX + 1;
		const error_description = `resource must be sent at most ${ALLOWED_RESOURCES_MAX} times`;
		for (const [path, fields] of [
			["/oauth/par", authorization(times)],
			["/oauth/device-authorization", device(times)],
			["/oauth/token", token(times)],
		] as const) {
			const { status, body } = await post(path, fields);
			assert.deepEqual([status, body], [400, { error: "invalid_target", error_description }], path);
		}
		const back = await browser.go(`/oauth/authorize?${authorization(times)}`);
		const { searchParams } = new URL(back.headers.location ?? "");
		assert.equal(searchParams.get("error"), "invalid_target");
		assert.equal(searchParams.get("error_description"), error_description);
	});

	it("is requested, shown, and stored once", async () => {
		const sent = await browser.go(`/oauth/authorize?${authorization(ALLOWED_RESOURCES_MAX)}`);
		const interaction = await browser.go(`/api/v1/auth/interactions/${idOf(sent.headers.location)}`);
		const { data } = interaction.body as { data: Record<string, unknown> };
		assert.deepEqual(
			[data.scopes, data.resources, data.apis],
			[["openid"], [ORDERS], [{ resource: ORDERS, name: "Orders", scopes: [] }]],
		);
		const begun = await post("/oauth/device-authorization", device(ALLOWED_RESOURCES_MAX));
		assert.equal(begun.status, 200, JSON.stringify(begun.body));
		const { user_code } = begun.body;
		const path = "/api/v1/auth/device-codes";
		const seen = await browser.post<{ data: Record<string, unknown> }>(
			`${path}/preview`,
			{ user_code },
			session,
		);
		assert.deepEqual(
			[seen.body.data.scopes, seen.body.data.apis],
			[["openid"], [{ resource: ORDERS, name: "Orders", scopes: [] }]],
		);
		const approved = await browser.post(`${path}/approve`, { user_code }, session);
		assert.equal(approved.status, 204, JSON.stringify(approved.body));
		const listed = await service.call<{ data: Record<string, unknown>[] }>(
			"GET",
			"/api/v1/users/me/consents",
			{
				token: session,
			},
		);
		const consents = listed.body.data.map(({ scopes, resources }) => [scopes, resources]);
		assert.deepEqual(consents, [[["openid"], [ORDERS]]]);
		const issued = await post("/oauth/token", token(ALLOWED_RESOURCES_MAX));
		assert.equal(issued.status, 200, JSON.stringify(issued.body));
	});

	it("is read once per request, like the client", async () => {
		await using beside = await openBeside(service);
		const reads: Record<string, number> = {};
		const counted = <Called extends object>(called: Called): Called =>
			new Proxy(called, {
				get(target, name) {
					reads[String(name)] = (reads[String(name)] ?? 0) + 1;
					return Reflect.get(target, name);
				},
			});
		const oauthClients = counted(beside.db.stores.oauthClients);
		const rules = counted(
			createOpenIdRules({
				db: beside.db,
				clock: service.clock.now,
				wakeMail: () => undefined,
			}),
		);
		const parts = { db: { stores: { oauthClients } }, rules } as unknown as ProviderParts;
		const { getResourceServerInfo } = resourceIndicators(parts) as {
			getResourceServerInfo(context: Context, resource: string): Promise<object>;
		};
		const resource = Array.from({ length: ALLOWED_RESOURCES_MAX }, (_, index) =>
			index % 2 ? ORDERS : STOCK,
		);
		const request = { oidc: { client: { clientId: spa.id }, params: { resource }, entities: {} } };
		for (const named of resource) await getResourceServerInfo(request as unknown as Context, named);
		assert.equal(reads.findPresented, 1);
		assert.equal(reads.findByResource, 2);
		assert.equal(reads.scopesOf, 2);
		const unknown = getResourceServerInfo(request as unknown as Context, "urn:example:none");
		await assert.rejects(unknown, errors.InvalidTarget);
	});
});
