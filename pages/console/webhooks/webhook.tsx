// `/console/webhooks/{id}`: one webhook, its settings and its deliveries.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState } from "../../api/list-state.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { Configured } from "../configured.tsx";
import { deleteRecord } from "../dialogs.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { ResultsCard } from "../statistics/results-card.tsx";
import { Deliveries } from "./deliveries.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookNotice } from "./webhook-notice.tsx";
import { shortUrl, WebhookState } from "./webhook-state.tsx";
import { eventInWords } from "./webhooks.tsx";

type Webhook = Schemas["Webhook"];

const LIST = "/console/webhooks";

export function WebhookPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-settings").webhooks;
	const query = useQuery(`webhook ${id}`, (signal) => call("GET /webhooks/{id}", { path: { id }, signal }));
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: LIST }}
			nameOf={({ data }) => shortUrl(data)}
			unnamed={t.title}
		>
			{({ data }) => <Shown key={data.id} webhook={data} name={shortUrl(data)} reload={query.reload} />}
		</RecordScreen>
	);
}

interface ShownProps {
	readonly webhook: Webhook;
	readonly name: string;
	readonly reload: () => void;
}

function Shown({ webhook, name, reload }: ShownProps) {
	const t = useWords("console-settings").webhooks;
	const [dialog, setDialog] = useState<"change" | "rotate" | "disable">();
	const close = () => setDialog(undefined);
	const changed = (text: string) => {
		forgetQueries("GET /webhooks ");
		close();
		announce(text);
		reload();
	};
	const setStatus = useAction(async (status: Webhook["status"]) => {
		await call("PATCH /webhooks/{id}", { path: { id: webhook.id }, body: { status } });
		changed(status === "active" ? t.enabled : t.disabled);
	});
	const remove = () =>
		deleteRecord({
			name,
			title: t.removeTitle,
			text: t.removeText,
			submitLabel: t.remove,
			done: t.removed,
			list: LIST,
			act: () => call("DELETE /webhooks/{id}", { path: { id: webhook.id } }),
		});
	const items: MenuItem[] = [
		{ label: t.rotate, onSelect: () => setDialog("rotate") },
		...(webhook.status === "active" ? [{ label: t.disable, onSelect: () => setDialog("disable") }] : []),
		{ label: t.remove, tone: "danger", startsGroup: true, onSelect: remove },
	];
	// What fails comes before how often. The place stays, because a move would close the open dialog.
	const [isFirst] = useState(webhook.failing);
	const state = useListState({ filters: ["status", "event_type", "from", "to"] });
	const { from } = state.values;
	const place = useRef<HTMLDivElement>(null);
	const before = useRef(from);
	useEffect(() => {
		// A bar was chosen: the list may be outside the window.
		if (from !== undefined && from !== before.current) place.current?.scrollIntoView({ block: "nearest" });
		before.current = from;
	}, [from]);
	const deliveries = (
		<div ref={place}>
			<Deliveries webhook={webhook} state={state} onTested={reload} />
		</div>
	);
	return (
		<>
			<PageHeader
				title={name}
				description={webhook.description === "" ? undefined : <bdi>{webhook.description}</bdi>}
				meta={
					<>
						<WebhookState webhook={webhook} />
						<Configured section="webhooks" name={webhook.url} managedBy={webhook.managed_by} />
					</>
				}
				actions={
					isAdmin() ? (
						<span class="lk-row">
							<Button onClick={() => setDialog("change")}>{t.change}</Button>
							<Menu items={items} />
						</span>
					) : undefined
				}
			/>
			<div class="lk-stack">
				<WebhookNotice
					webhook={webhook}
					onEnable={isAdmin() ? () => setStatus.run("active") : undefined}
					isPending={setStatus.isPending}
					error={dialog === undefined ? setStatus.error : undefined}
				/>
				{isFirst && deliveries}
				<ResultsCard
					title={t.attemptsOverTime}
					okLabel={t.accepted}
					refusedLabel={t.attemptsFailed}
					queryKey={`GET /webhooks/${webhook.id}/stats`}
					reasonWords={{ reasons: t.byCause, noneRefused: t.noneFailed, labelOf: t.cause }}
					hrefOf={({ code, from, to }) =>
						`${LIST}/${webhook.id}?${new URLSearchParams({ ...(code !== undefined && { status: "failed" }), from, to })}`
					}
					chosen={state.values}
					load={async (query, signal) =>
						(await call("GET /webhooks/{id}/stats", { path: { id: webhook.id }, query, signal })).data.steps
					}
				/>
				<WebhookSettings webhook={webhook} />
				{!isFirst && deliveries}
			</div>
			{dialog === "change" && (
				<WebhookDialog webhook={webhook} onClose={close} onSaved={() => changed(t.saved)} />
			)}
			{dialog === "rotate" && <RotateDialog webhook={webhook} onClose={close} onRotated={reload} />}
			{dialog === "disable" && (
				<FormDialog
					tone="danger"
					size="small"
					onClose={() => {
						setStatus.reset();
						close();
					}}
					title={t.disableTitle}
					submitLabel={t.disable}
					action={{ ...setStatus, run: () => setStatus.run("disabled") }}
					text={t.disableText}
				/>
			)}
		</>
	);
}

function WebhookSettings({ webhook }: { readonly webhook: Schemas["Webhook"] }) {
	const t = useWords("console-settings").webhooks;
	const { previous_secret_expires_at: previousEnds, last_delivered_at: deliveredAt } = webhook;
	const secret = (
		<span>
			{t.secretEnds(webhook.secret_hint)}, {t.secretSince}{" "}
			<Time at={webhook.secret_created_at} format="datetime" />
		</span>
	);
	const previous = previousEnds !== null && (
		<span>
			{t.signsUntil} <Time at={previousEnds} format="datetime" />
		</span>
	);
	return (
		<Card title={t.settings}>
			<DescriptionList
				items={[
					{ term: t.url, value: webhook.url },
					{
						term: t.events,
						value: <BadgeList names={webhook.event_types.map((type) => eventInWords(type, t))} />,
					},
					{ term: t.secret, value: secret },
					...(previous === false ? [] : [{ term: t.previousSecret, value: previous }]),
					{
						term: t.lastDelivered,
						value: deliveredAt === null ? t.never : <Time at={deliveredAt} />,
					},
					{ term: t.created, value: <Time at={webhook.created_at} format="datetime" /> },
				]}
			/>
		</Card>
	);
}
