// `/console/webhooks`: the receivers of events.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { labels } from "../../ui/filter-bar.tsx";
import { webhook as webhookShape } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import type { Period } from "../statistics/period.ts";
import { ResultsCard } from "../statistics/results-card.tsx";
import { SecretDialog } from "./rotate-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { shortUrl, WebhookState } from "./webhook-state.tsx";
import "./webhooks.css";

type Webhook = Schemas["Webhook"];
type Words = WordsOf<"console-settings">["webhooks"];

export function Webhooks() {
	const t = useWords("console-settings").webhooks;
	useScreenTitle(t.title);
	const state = useListState({ filters: ["status"] });
	const list = usePage("GET /webhooks", state);
	return (
		<List
			title={t.title}
			description={t.description}
			filters={[
				{
					name: "status",
					label: t.state,
					any: t.allStates,
					options: labels(["active", "disabled"], t.states),
				},
			]}
			add={isAdmin() && { label: t.add, dialog: (close) => <Adding onClose={close} /> }}
			before={
				<ResultsCard
					title={t.attemptsOverTime}
					okLabel={t.accepted}
					refusedLabel={t.attemptsFailed}
					describe={t.share}
					queryKey="GET /stats webhooks"
					load={attemptsOver}
				/>
			}
			list={list}
			state={state}
			caption={t.caption}
			columns={columnsOf(t)}
			rowKey={({ id }) => id}
			hrefOf={({ id }) => `/console/webhooks/${id}`}
			expectedRows={4}
			noMatch={{ title: t.noMatch }}
			none={{ icon: webhookShape, title: t.none, text: t.noneText }}
		/>
	);
}

async function attemptsOver(query: Pick<Period, "from" | "to" | "step">, signal: AbortSignal) {
	const { data } = await call("GET /stats", { query, signal });
	return data.steps.map(({ at, webhook_attempts: ok, failed_webhook_attempts: refused }) => ({
		at,
		ok,
		refused,
	}));
}

/** The form, then the secret, then the page of the new webhook. */
function Adding({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-settings").webhooks;
	const [, navigate] = useLocation();
	const [added, setAdded] = useState<Webhook & { readonly secret?: string }>();
	if (added?.secret !== undefined)
		return (
			<SecretDialog
				secret={added.secret}
				onClose={() => {
					onClose();
					navigate(`/console/webhooks/${added.id}`);
				}}
			/>
		);
	return (
		<WebhookDialog
			onClose={onClose}
			onSaved={(webhook) => {
				announce(t.added);
				setAdded(webhook);
			}}
		/>
	);
}

function columnsOf(t: Words): readonly Column<Webhook>[] {
	return [
		{
			key: "url",
			header: t.receiver,
			cell: (webhook) => (
				<span class="lk-webhook-receiver">
					<bdi dir="ltr">{shortUrl(webhook)}</bdi>
					{webhook.description !== "" && <bdi class="lk-muted">{webhook.description}</bdi>}
				</span>
			),
		},
		{ key: "events", header: t.events, cell: ({ event_types }) => eventsInWords(event_types, t) },
		{ key: "status", header: t.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
		{
			key: "last_delivered_at",
			header: t.lastDelivered,
			cell: ({ last_delivered_at: at }) => <Time at={at} none={t.never} />,
		},
	];
}

const SHOWN = 2;

function eventsInWords(types: Webhook["event_types"], t: Words): string {
	const shown = types.slice(0, SHOWN).map((type) => eventInWords(type, t));
	const more = types.length - shown.length;
	return [...shown, ...(more === 0 ? [] : [t.moreEvents(format.number(more))])].join(" · ");
}

export function eventInWords(type: Webhook["event_types"][number], t: Words): string {
	if (!type.endsWith(".*")) return t.types[type as keyof Words["types"]];
	return t.allOf[type.slice(0, -2)] ?? type;
}
