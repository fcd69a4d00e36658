// Sends a test to a webhook and waits for the receiver's response.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { announce } from "../../ui/status-line.tsx";
import type { WordsOf } from "../../words/words.ts";
import { responseInWords } from "./delivery-columns.tsx";

type Delivery = Schemas["WebhookDelivery"];

/** An attempt starts within half a second and takes 5 s at most. */
const LOOK_AFTER_MS = [700, 1_500, 3_000, 3_000] as const;

/** Announces the result. @throws ApiError if the API refuses. */
export async function sendTest(webhookId: string, t: WordsOf<"console-settings">["webhooks"]): Promise<void> {
	const path = { id: webhookId };
	const { data: queued } = await call("POST /webhooks/{id}/test", { path });
	announce(t.testing, "info");
	const { status, ...delivery } = await settled(queued);
	const response = [responseInWords(delivery, t), delivery.last_error]
		.filter((part) => part !== "")
		.join(", ");
	if (status === "delivered") announce(t.testAccepted(response));
	else if (status === "failed") announce(`${t.testFailed}: ${response}`, "danger");
	else announce(t.testWaits, "info");
}

/** The finished delivery, or its state after eight seconds. */
async function settled(queued: Delivery): Promise<Delivery> {
	const path = { id: queued.webhook_id };
	const query = { event_type: "webhook.test" } as const;
	let delivery = queued;
	for (const ms of LOOK_AFTER_MS) {
		await new Promise((resolve) => setTimeout(resolve, ms));
		const { data } = await call("GET /webhooks/{id}/deliveries", { path, query });
		delivery = data.find(({ id }) => id === queued.id) ?? delivery;
		if (delivery.status !== "pending") return delivery;
	}
	return delivery;
}
