// Relayed sign-ins through an API client that may forward the IP addresses of its users.

import assert from "node:assert/strict";
import { addApiClient, addApplication } from "./applications.ts";
import type { TestService } from "./service.ts";
import type { Client } from "./signed-endpoint.ts";
import type { BodyOf, DataOf } from "./wire-body.ts";

export const RELAY = "/api/v1/external/auth";

/** Adds a client of a new application that every user may use. */
export async function addRelay(service: TestService): Promise<Client> {
	const { id } = await addApplication(service, { access_policy: "open" });
	return (await addApiClient(service, { app_id: id, scopes: ["sign-in:relay"] })) as Client;
}

/** Relays a call that requests problem details. */
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

/** Signs a user in through the client. @returns the tokens, or the required second factor */
export async function relayedLogin(
	service: TestService,
	client: Client,
	{ username, password }: { readonly username: string; readonly password: string },
	ip = "203.0.113.7",
): Promise<DataOf<"POST /api/v1/external/auth/login">> {
	const response = await relay(service, client, "login", { username, password, ip });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data;
}
