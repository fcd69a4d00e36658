// Identity providers for tests that never contact one.

import assert from "node:assert/strict";
import { addPerson, removePassword } from "../people/people.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const IDENTITY_PROVIDERS = "/api/v1/identity-providers";
export const PROVIDER_SECRET = "the secret the provider gave us";

let created = 0;

/** A valid body of a provider of kind `oidc` with a unique slug. */
export function providerBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
	return {
		provider: `provider-${++created}`,
		kind: "oidc",
		display_name: "Provider",
		client_id: "latchkey",
		client_secret: PROVIDER_SECRET,
		issuer: "https://login.partner.example",
		...fields,
	};
}

/** Adds a provider as the first admin, or with the given token. */
export async function addProvider(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
	token?: string,
): Promise<DataOf<"POST /api/v1/identity-providers">> {
	const response = await service.call("POST", IDENTITY_PROVIDERS, {
		token: token ?? (await service.adminToken()),
		body: providerBody(fields),
	});
	assert.equal(response.status, 201, JSON.stringify(response.body));
	return response.body.data;
}

/** A signed-in user who has no password, but accounts at enabled providers, as after a sign-up through one. */
export async function withoutPassword(
	service: TestService,
	accounts: number,
): Promise<{ readonly userId: string; readonly token: string; readonly ids: readonly string[] }> {
	const person = await addPerson(service, `federated-${++created}`);
	const ids: string[] = [];
	for (let count = 0; count < accounts; count++) {
		const { provider } = await addProvider(service);
		const account = { provider, provider_user_id: person.id };
		ids.push((await service.asAdmin("POST", `/api/v1/users/${person.id}/third-party-accounts`, account)).id);
	}
	await removePassword(service, person.id);
	return { userId: person.id, token: person.token, ids };
}
