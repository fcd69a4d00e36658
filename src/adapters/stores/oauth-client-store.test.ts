import assert from "node:assert/strict";
import { before, it } from "node:test";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeApplication, storeTenant } from "../../../test/harness/databases/stores.ts";
import { storedOAuthClient } from "../../../test/harness/openid/oauth-clients.ts";
import type { ApplicationToInsert } from "../../domain/application.ts";
import { NO_OAUTH_SECRET, type OAuthClientStore, type StoredOAuthClient } from "../../domain/oauth-client.ts";

onEachEngine("OAuth clients in SQL", (stores) => {
	let oauthClients: OAuthClientStore;
	let tenantId: string;
	before(async () => {
		tenantId = await storeTenant(stores);
		oauthClients = stores.db.stores.oauthClients;
	});

	const addApplication = (fields: Partial<ApplicationToInsert> = {}): Promise<string> =>
		storeApplication(stores, tenantId, fields);
	const clientOf = (applicationId: string, fields: Partial<StoredOAuthClient> = {}): StoredOAuthClient =>
		storedOAuthClient({ applicationId, tenantId, createdAtMs: NOW, updatedAtMs: NOW, ...fields });
	const add = async (fields: Partial<StoredOAuthClient> = {}): Promise<StoredOAuthClient> => {
		const client = clientOf(await addApplication(), fields);
		assert.equal(await oauthClients.insert(client), true);
		return client;
	};
	const remove = (applicationId: string, ofTenant = tenantId) =>
		stores.db.transaction((inside) => inside.oauthClients.remove(ofTenant, applicationId));
	const shown = ({ secretDigest: _, previousSecretDigest: __, ...client }: StoredOAuthClient) => client;

	it("report whether any exists", async () => {
		assert.equal(await oauthClients.isAny(), false);
		await add();
		assert.equal(await oauthClients.isAny(), true);
	});

	it("are returned unchanged: with their application across all tenants, otherwise only within the tenant", async () => {
		const redirectUris = ["https://shop.example/callback"];
		const applicationId = await addApplication({ name: "Full", redirectUris, status: "disabled" });
		const client = clientOf(applicationId, {
			type: "service",
			authMethod: "private_key_jwt",
			postLogoutRedirectUris: ["https://shop.example/bye", "https://shop.example/bye2"],
			backchannelLogoutUri: "https://shop.example/logout",
			firstParty: true,
			idTokenAlg: "RS256",
			jwks: { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] },
			jwksUri: "https://shop.example/jwks",
			resource: "https://api.shop.example",
			allowedResources: ["https://other.example"],
			secretDigest: "digest",
			secretHint: "abcd",
			secretCreatedAtMs: NOW,
			previousSecretDigest: "previous",
			previousSecretExpiresAtMs: NOW + 1,
		});
		assert.equal(await oauthClients.insert(client), true);
		assert.deepEqual(await oauthClients.find(tenantId, applicationId), shown(client));
		const application = {
			kind: "application",
			name: "Full",
			status: "disabled",
			redirectUris,
			homepageUrl: "",
			logoUrl: "",
		};
		assert.deepEqual(await oauthClients.findPresented(applicationId), { ...client, application });
		assert.deepEqual(await oauthClients.findByResource(tenantId, "https://api.shop.example"), {
			...client,
			application,
		});
		const foreign = await storeTenant(stores);
		assert.equal(await oauthClients.find(foreign, applicationId), undefined);
		assert.equal(await oauthClients.findByResource(foreign, "https://api.shop.example"), undefined);
		assert.equal(await remove(applicationId, foreign), undefined);
		assert.equal(await oauthClients.update(foreign, applicationId, { firstParty: false }, NOW), "missing");
		const { db } = stores;
		const locked = await db.transaction((inside) =>
			inside.oauthClients.findForUpdate(tenantId, applicationId),
		);
		assert.deepEqual(locked, client);
		assert.equal(
			await db.transaction((inside) => inside.oauthClients.findForUpdate(foreign, applicationId)),
			undefined,
		);
	});

	it("are unique per application, and per resource of the tenant", async () => {
		const first = await add({ resource: "urn:one" });
		assert.equal(await oauthClients.insert(first), false);
		const taken = clientOf(await addApplication(), { resource: "urn:one" });
		assert.equal(await oauthClients.insert(taken), false);
		const second = await add({ resource: "urn:two" });
		const { applicationId } = second;
		const update = (resource: string) => oauthClients.update(tenantId, applicationId, { resource }, NOW + 1);
		assert.equal(await update("urn:one"), "resource_taken");
		assert.equal(await update("urn:three"), "updated");
		assert.equal((await oauthClients.find(tenantId, applicationId))?.updatedAtMs, NOW + 1);
		assert.deepEqual(
			(await oauthClients.knownResources(tenantId, ["urn:three", "urn:two", "urn:one"])).sort(),
			["urn:one", "urn:three"],
		);
		assert.deepEqual(await oauthClients.knownResources(tenantId, []), []);
		const foreign = await storeTenant(stores);
		assert.deepEqual(await oauthClients.knownResources(foreign, ["urn:one"]), []);
	});

	it("replace the row, which deletes the rows that refer to it", async () => {
		const client = await add({ resource: "urn:replaced", secretDigest: "digest", secretHint: "gest" });
		const changed = { ...client, ...NO_OAUTH_SECRET, type: "spa", authMethod: "none" } as const;
		const outcome = await stores.db.transaction((inside) => inside.oauthClients.replace(changed));
		assert.equal(outcome, "updated");
		const { application: _, ...found } = (await oauthClients.findPresented(client.applicationId)) ?? {};
		assert.deepEqual(found, changed);
		await add({ resource: "urn:of another" });
		const taken = { ...changed, resource: "urn:of another" };
		assert.equal(
			await stores.db.transaction((inside) => inside.oauthClients.replace(taken)),
			"resource_taken",
		);
	});

	it("store new secrets, and are deleted with their application", async () => {
		const { applicationId } = await add();
		const secret = {
			secretDigest: "new",
			secretHint: "wxyz",
			secretCreatedAtMs: NOW,
			previousSecretDigest: "old",
			previousSecretExpiresAtMs: NOW + 5,
		};
		assert.equal(await oauthClients.setSecret(tenantId, applicationId, secret, NOW + 2), true);
		const { application: _, ...found } = (await oauthClients.findPresented(applicationId)) ?? {};
		assert.deepEqual(found, { ...clientOf(applicationId), ...secret, updatedAtMs: NOW + 2 });
		await stores.db.stores.applications.remove(tenantId, applicationId);
		assert.equal(await oauthClients.findPresented(applicationId), undefined);
		const removed = await add();
		assert.deepEqual(await remove(removed.applicationId), shown(removed));
		assert.equal(await remove(removed.applicationId), undefined);
	});
});
