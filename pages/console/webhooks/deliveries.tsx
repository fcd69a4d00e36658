// The deliveries of a webhook, with the receiver's responses.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { refresh, webhook as webhookShape } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { deliveryColumns, Result, responseInWords } from "./delivery-columns.tsx";

type Delivery = Schemas["WebhookDelivery"];

interface DeliveriesProps {
	readonly webhook: Schemas["Webhook"];
	/** The response to a test may have changed the webhook. */
	readonly onTested: () => void;
}

export function Deliveries({ webhook, onTested }: DeliveriesProps) {
	const t = useWords("console-settings").webhooks;
	const state = useListState({ filters: ["status", "event_type"] });
	const path = { id: webhook.id };
	const list = usePage("GET /webhooks/{id}/deliveries", state, { path });
	const { reload } = list;
	const [shown, setShown] = useState<Delivery>();
	const replay = useAction(async ({ id }: Delivery) => {
		await call("POST /webhooks/{id}/deliveries/{delivery_id}/replay", {
			path: { ...path, delivery_id: id },
		});
		announce(t.replayed);
		reload();
	});
	const test = useAction(async () => {
		await sendTest(webhook.id, t);
		forgetQueries("GET /webhooks ");
		reload();
		onTested();
	});
	const error = list.error ?? replay.error ?? test.error;
	const maySend = isAdmin() && webhook.status === "active";
	return (
		<Card
			title={t.deliveries}
			description={t.deliveriesText}
			actions={
				<span class="lk-row">
					{maySend && (
						<Button size="small" pending={test.isPending} onClick={() => test.run()}>
							{t.sendTest}
						</Button>
					)}
					<Button size="small" icon={refresh} pending={list.isLoading} onClick={reload}>
						{t.refresh}
					</Button>
				</span>
			}
		>
			<List
				list={{ ...list, error }}
				state={state}
				filters={[
					{ name: "status", label: t.result, any: t.allResults, options: t.results },
					{ name: "event_type", label: t.event, any: t.allEvents, options: t.types },
				]}
				caption={t.deliveries}
				columns={deliveryColumns(t)}
				rowKey={({ id }) => id}
				rowName={({ event_type }) => t.types[event_type]}
				rowActions={(delivery) => [
					{ label: t.show, onSelect: () => setShown(delivery) },
					...(maySend ? [{ label: t.replay, onSelect: () => replay.run(delivery) }] : []),
				]}
				expectedRows={4}
				noMatch={{ title: t.noDeliveryMatch }}
				none={{ icon: webhookShape, title: t.noDeliveries, text: t.noDeliveriesText }}
			/>
			{shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
		</Card>
	);
}

interface DeliveryDialogProps {
	readonly delivery: Schemas["WebhookDelivery"];
	readonly onClose: () => void;
}

function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps) {
	const t = useWords("console-settings").webhooks;
	const { last_attempt_at: lastAt, next_attempt_at: nextAt } = delivery;
	const code = JSON.stringify(delivery.payload, undefined, 2);
	return (
		<Dialog
			onClose={onClose}
			title={t.types[delivery.event_type]}
			actions={<Button onClick={onClose}>{uiWords().close}</Button>}
		>
			<div class="lk-stack">
				<DescriptionList
					items={[
						{ term: t.result, value: <Result delivery={delivery} t={t} /> },
						...(delivery.last_error === "" ? [] : [{ term: t.error, value: delivery.last_error }]),
						{ term: t.lastAttempt, value: lastAt && <Time at={lastAt} format="datetime" /> },
						...(nextAt === null
							? []
							: [{ term: t.nextAttempt, value: <Time at={nextAt} format="datetime" /> }]),
						{ term: t.deliveryId, value: <code>{delivery.id}</code> },
					]}
				/>
				<CodeBlock label={t.payload} snippets={[{ key: "json", label: t.payload, code }]} />
			</div>
		</Dialog>
	);
}

/** An attempt starts within half a second and takes 5 s at most. */
const LOOK_AFTER_MS = [700, 1_500, 3_000, 3_000] as const;

/** Announces the result. @throws ApiError if the API refuses. */
async function sendTest(webhookId: string, t: WordsOf<"console-settings">["webhooks"]): Promise<void> {
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
