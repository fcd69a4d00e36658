// Webhooks for tests, and a wait for what became of their deliveries.

import assert from "node:assert/strict";
import type { TestService } from "./service.ts";
import type { DataOf } from "./wire-body.ts";

export const WEBHOOKS = "/api/v1/webhooks";
/** On the public Internet, never called: only events of types that do not happen are subscribed to. */
export const PUBLIC_URL = "https://hooks.partner.example/latchkey";
const PATIENCE_MS = 30_000;

/** The record with its `secret`. Defaults: created by the first admin, for events that these tests do not cause. */
export async function addWebhook(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/webhooks">> {
	const body = { url: PUBLIC_URL, event_types: ["user.password_locked"], ...fields };
	const answer = await service.call("POST", WEBHOOKS, { token: await service.adminToken(), body });
	assert.equal(answer.status, 201, JSON.stringify(answer.body));
	return answer.body.data;
}

export async function getWebhook(
	service: TestService,
	id: string,
): Promise<DataOf<"GET /api/v1/webhooks/{id}">> {
	const answer = await service.call("GET", `${WEBHOOKS}/${id}`, { token: await service.adminToken() });
	assert.equal(answer.status, 200, JSON.stringify(answer.body));
	return answer.body.data;
}

/** Newest first. */
export async function deliveriesOf(
	service: TestService,
	id: string,
	query = "",
): Promise<DataOf<"GET /api/v1/webhooks/{id}/deliveries">> {
	const path = `${WEBHOOKS}/${id}/deliveries?page_size=100${query}` as const;
	const answer = await service.call("GET", path, { token: await service.adminToken() });
	assert.equal(answer.status, 200, JSON.stringify(answer.body));
	return answer.body.data;
}

/** Asks until the answer will do (30 s at most), then gives it. */
export async function eventually<T>(ask: () => Promise<T>, will: (answer: T) => boolean): Promise<T> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const answer = await ask();
		if (will(answer)) return answer;
		if (Date.now() > deadline) throw new Error(`not in time: ${JSON.stringify(answer)}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
