// Webhooks for tests, and the state of their deliveries.

import assert from "node:assert/strict";
import type { TestService } from "./service.ts";
import type { DataOf } from "./wire-body.ts";

export const WEBHOOKS = "/api/v1/webhooks";
/** A public URL that is never called: its webhooks subscribe only to events that do not occur. */
export const PUBLIC_URL = "https://hooks.partner.example/latchkey";
const PATIENCE_MS = 30_000;

/** Defaults: as the first admin, for events that do not occur in these tests. @returns the record with its `secret` */
export async function addWebhook(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/webhooks">> {
	const body = { url: PUBLIC_URL, event_types: ["user.password_locked"], ...fields };
	const response = await service.call("POST", WEBHOOKS, { token: await service.adminToken(), body });
	assert.equal(response.status, 201, JSON.stringify(response.body));
	return response.body.data;
}

export async function getWebhook(
	service: TestService,
	id: string,
): Promise<DataOf<"GET /api/v1/webhooks/{id}">> {
	const response = await service.call("GET", `${WEBHOOKS}/${id}`, { token: await service.adminToken() });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data;
}

/** Newest first. */
export async function deliveriesOf(
	service: TestService,
	id: string,
	query = "",
): Promise<DataOf<"GET /api/v1/webhooks/{id}/deliveries">> {
	const path = `${WEBHOOKS}/${id}/deliveries?page_size=100${query}` as const;
	const response = await service.call("GET", path, { token: await service.adminToken() });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data;
}

/** Repeats `ask` for up to 30 s until `will` accepts the result. @returns that result */
export async function eventually<T>(ask: () => Promise<T>, will: (response: T) => boolean): Promise<T> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const response = await ask();
		if (will(response)) return response;
		if (Date.now() > deadline) throw new Error(`not in time: ${JSON.stringify(response)}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
