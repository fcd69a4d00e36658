// Relayed sign-ins: a server with a client that may name its users' addresses.

import assert from "node:assert/strict";
import { addApiClient, addApplication } from "./applications.ts";
import type { TestService } from "./service.ts";
import type { Client } from "./signed-endpoint.ts";
import type { BodyOf, DataOf } from "./wire-body.ts";

export const RELAY = "/api/v1/external/auth";

/** A client of a new application that everybody may use. */
export async function addRelay(service: TestService): Promise<Client> {
	const { id } = await addApplication(service, { access_policy: "open" });
	return (await addApiClient(service, { app_id: id, scopes: ["sign-in:relay"] })) as Client;
}

/** A relayed call, as problem details when it is refused. */
export function relay(
	service: TestService,
	client: Client,
	step: "login" | "mfa" | "refresh",
	body: Readonly<Record<string, unknown>>,
) {
	const headers = { accept: "application/problem+json" };
	type Body = BodyOf<"POST", `${typeof RELAY}/login`>;
	return service.signed<Body>(client, "POST", `${RELAY}/${step}`, { body, headers });
}

/** Signs a user in through the client; answers the tokens, or the second factor that is due. */
export async function relayedLogin(
	service: TestService,
	client: Client,
	{ username, password }: { readonly username: string; readonly password: string },
	ip = "203.0.113.7",
): Promise<DataOf<"POST /api/v1/external/auth/login">> {
	const answer = await relay(service, client, "login", { username, password, ip });
	assert.equal(answer.status, 200, JSON.stringify(answer.body));
	return answer.body.data;
}
