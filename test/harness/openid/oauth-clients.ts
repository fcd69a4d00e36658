// OAuth clients for tests.

import assert from "node:assert/strict";
import { createOAuthClientStore } from "../../../src/adapters/stores/oauth-client-store.ts";
import { matchesDigest } from "../../../src/crypto/digest.ts";
import {
	liveSecretDigests,
	NO_OAUTH_SECRET,
	type StoredOAuthClient,
} from "../../../src/domain/oauth-client.ts";
import { APPLICATIONS, addApplication } from "../access/applications.ts";
import { addSecondTenant } from "../people/second-tenant.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export type PutOAuthClient = DataOf<"PUT /api/v1/applications/{id}/oauth-client">;

/** A stored client of type `web` without a secret. */
export function storedOAuthClient(
	fields: Partial<StoredOAuthClient> & Pick<StoredOAuthClient, "applicationId" | "tenantId">,
): StoredOAuthClient {
	return {
		type: "web",
		authMethod: "client_secret_basic",
		postLogoutRedirectUris: [],
		backchannelLogoutUri: null,
		firstParty: false,
		idTokenAlg: "ES256",
		pkce: "required",
		deviceFlow: false,
		responseModes: ["query", "form_post"],
		jwks: null,
		jwksUri: null,
		resource: null,
		allowedResources: [],
		actsForPeople: [],
		workloads: [],
		assertionAudiences: [],
		profile: "none",
		claims: [],
		...NO_OAUTH_SECRET,
		createdAtMs: 0,
		updatedAtMs: 0,
		...fields,
	};
}

/** Creates a client, by default of type `web` for a new application. */
export async function putOAuthClient(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
	appId?: string,
): Promise<PutOAuthClient> {
	const id = appId ?? (await addApplication(service)).id;
	return await service.asAdmin("PUT", `${APPLICATIONS}/${id}/oauth-client`, { type: "web", ...fields });
}

/** Two tenants store the same `resource`; it is assigned to `default`. */
export async function addContestedResource(service: TestService, resource: string) {
	const first = await putOAuthClient(service, { resource });
	const { id, adminToken: token } = await addSecondTenant(service);
	const { data } = (await service.call("POST", APPLICATIONS, { token, body: { name: "Contender" } })).body;
	const path = `${APPLICATIONS}/${data.id}/oauth-client`;
	const { status } = await service.call("PUT", path, { token, body: { type: "web", resource } });
	assert.equal(status, 201);
	return { firstTenantId: first.tenant_id, tenantId: id, applicationId: data.id };
}

/** Which of the secrets authenticate the client now, by the provider's rule. */
export async function liveSecrets(
	service: TestService,
	clientId: string,
	secrets: readonly string[],
): Promise<boolean[]> {
	await using engine = await service.openDatabase();
	const client = await createOAuthClientStore(engine.queries).findPresented(clientId);
	const digests = client === undefined ? [] : liveSecretDigests(client, service.clock.now());
	return secrets.map((secret) => matchesDigest(secret, digests));
}
