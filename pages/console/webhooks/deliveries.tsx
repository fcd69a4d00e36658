// The deliveries of a webhook, with the receiver's responses.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { refresh, search, webhook as webhookShape } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Table } from "../../ui/table.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { deliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { sendTest } from "./send-test.ts";

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
	const { data, error, isLoading, reload } = usePage("GET /webhooks/{id}/deliveries", state, { path });
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
	const failure = error ?? replay.error ?? test.error;
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
					<Button size="small" icon={refresh} pending={isLoading} onClick={reload}>
						{t.refresh}
					</Button>
				</span>
			}
		>
			<Filters state={state} />
			{failure !== undefined && <LoadError error={failure} onRetry={reload} pending={isLoading} />}
			<Table
				caption={t.deliveries}
				columns={deliveryColumns(t)}
				rows={data?.data}
				rowKey={({ id }) => id}
				rowName={({ event_type }) => t.types[event_type]}
				rowActions={(delivery) => [
					{ label: t.show, onSelect: () => setShown(delivery) },
					...(maySend ? [{ label: t.replay, onSelect: () => replay.run(delivery) }] : []),
				]}
				isLoading={isLoading}
				expectedRows={4}
				empty={
					state.isFiltered ? (
						<EmptyState icon={search} title={t.noDeliveryMatch} />
					) : (
						<EmptyState icon={webhookShape} title={t.noDeliveries}>
							{t.noDeliveriesText}
						</EmptyState>
					)
				}
			/>
			{data !== undefined && data.total > 0 && (
				<Pagination page={state.page} pageSize={data.page_size} total={data.total} onPage={state.setPage} />
			)}
			{shown !== undefined && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
		</Card>
	);
}

function Filters({ state }: { readonly state: ListState }) {
	const t = useWords("console-settings").webhooks;
	const results = Object.entries(t.results).map(([value, label]) => ({ value, label }));
	const types = Object.entries(t.types).map(([value, label]) => ({ value, label }));
	return (
		<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
			<Select
				{...state.field("status")}
				label={t.result}
				hideLabel
				options={[{ value: "", label: t.allResults }, ...results]}
			/>
			<Select
				{...state.field("event_type")}
				label={t.event}
				hideLabel
				options={[{ value: "", label: t.allEvents }, ...types]}
			/>
		</FilterBar>
	);
}
