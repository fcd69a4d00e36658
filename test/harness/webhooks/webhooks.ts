// Webhooks for tests, and the state of their deliveries.

import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const WEBHOOKS = "/api/v1/webhooks";
/** A public URL that is never called: its webhooks subscribe only to events that do not occur. */
export const PUBLIC_URL = "https://hooks.partner.example/latchkey";
const PATIENCE_MS = 30_000;

/** Defaults: as the first admin, for events that do not occur in these tests. @returns the record with its `secret` */
export function addWebhook(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/webhooks">> {
	const body = { url: PUBLIC_URL, event_types: ["user.password_locked"], ...fields };
	return service.asAdmin("POST", WEBHOOKS, body);
}

export function getWebhook(service: TestService, id: string): Promise<DataOf<"GET /api/v1/webhooks/{id}">> {
	return service.asAdmin("GET", `${WEBHOOKS}/${id}`);
}

/** Newest first. */
export function deliveriesOf(
	service: TestService,
	id: string,
	query = "",
): Promise<DataOf<"GET /api/v1/webhooks/{id}/deliveries">> {
	return service.asAdmin("GET", `${WEBHOOKS}/${id}/deliveries?page_size=100${query}`);
}

/** Calls `read` for up to 30 s until `accepts` returns true. @returns the accepted value */
export async function eventually<T>(read: () => Promise<T>, accepts: (value: T) => boolean): Promise<T> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const value = await read();
		if (accepts(value)) return value;
		if (Date.now() > deadline) throw new Error(`not accepted within 30 s: ${JSON.stringify(value)}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
