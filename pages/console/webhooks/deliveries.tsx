// The deliveries of a webhook, with the receiver's responses.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type ListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { refresh, webhook as webhookShape } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { Menu } from "../../ui/menu.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { SpanText } from "../statistics/span-text.tsx";
import { deliveryColumns, responseInWords } from "./delivery-columns.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { TestDialog } from "./test-dialog.tsx";

type Delivery = Schemas["WebhookDelivery"];
type EventType = Delivery["event_type"];

interface DeliveriesProps {
	readonly webhook: Schemas["Webhook"];
	/** Also set by the bars of the chart. */
	readonly state: ListState;
	/** The response to a test may have changed the webhook. */
	readonly onTested: () => void;
}

export function Deliveries({ webhook, state, onTested }: DeliveriesProps) {
	const t = useWords("console-settings").webhooks;
	const path = { id: webhook.id };
	const list = usePage("GET /webhooks/{id}/deliveries", state, { path });
	const failed = useQuery(`GET /webhooks/${webhook.id}/deliveries failed`, async (signal) => {
		const count = async (more: { readonly event_type?: "webhook.test" }) => {
			const query = { status: "failed", page_size: 1, ...more } as const;
			return (await call("GET /webhooks/{id}/deliveries", { path, query, signal })).total;
		};
		// A test is not sent again.
		const [all, tests] = await Promise.all([count({}), count({ event_type: "webhook.test" })]);
		return all - tests;
	});
	const failedCount = failed.data ?? 0;
	const reload = () => {
		list.reload();
		failed.reload();
	};
	const [shown, setShown] = useState<Delivery>();
	const replay = useAction(async ({ id }: Delivery) => {
		await call("POST /webhooks/{id}/deliveries/{delivery_id}/replay", {
			path: { ...path, delivery_id: id },
		});
		announce(t.replayed);
		reload();
	});
	const changed = () => {
		forgetQueries("GET /webhooks ");
		reload();
		onTested();
	};
	const test = useAction(async (type?: EventType) => {
		await sendTest(webhook.id, type, t);
		changed();
	});
	const [dialog, setDialog] = useState<"replay" | "test">();
	const error = list.error ?? replay.error ?? test.error;
	const maySend = isAdmin() && webhook.status === "active";
	return (
		<Card
			title={t.deliveries}
			description={t.deliveriesText}
			actions={
				<span class="lk-row">
					{maySend && failedCount > 0 && (
						<Button size="small" onClick={() => setDialog("replay")}>
							{t.replayAll(failedCount)}
						</Button>
					)}
					{maySend && (
						<>
							<Button size="small" pending={test.isPending} onClick={() => test.run()}>
								{t.sendTest}
							</Button>
							<Menu label={t.moreTests} items={[{ label: t.testEvent, onSelect: () => setDialog("test") }]} />
						</>
					)}
					<Button size="small" icon={refresh} pending={list.isLoading} onClick={reload}>
						{t.refresh}
					</Button>
				</span>
			}
		>
			<List
				before={<SpanText {...state.values} text={t.span} />}
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
			{shown !== undefined && (
				<DeliveryDialog delivery={shown} url={webhook.url} onClose={() => setShown(undefined)} />
			)}
			{dialog === "replay" && (
				<ReplayDialog
					webhookId={webhook.id}
					count={failedCount}
					onClose={() => setDialog(undefined)}
					onReplayed={changed}
				/>
			)}
			{dialog === "test" && (
				<TestDialog
					subscribed={webhook.event_types}
					onClose={() => setDialog(undefined)}
					onChosen={(type) => {
						setDialog(undefined);
						void test.run(type);
					}}
				/>
			)}
		</Card>
	);
}

/** An attempt starts within half a second and takes 5 s at most. */
const LOOK_AFTER_MS = [700, 1_500, 3_000, 3_000] as const;

/** Announces the result. @throws ApiError if the API refuses. */
async function sendTest(
	webhookId: string,
	type: EventType | undefined,
	t: WordsOf<"console-settings">["webhooks"],
): Promise<void> {
	const path = { id: webhookId };
	const body = type === undefined ? {} : { event_type: type };
	const { data: queued } = await call("POST /webhooks/{id}/test", { path, body });
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
