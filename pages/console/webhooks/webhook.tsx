// `/console/webhooks/{id}`: one receiver, its settings and what was sent to it.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useScreenTitle } from "../screen-title.ts";
import { Deliveries } from "./deliveries.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookNotice } from "./webhook-notice.tsx";
import { WebhookSettings } from "./webhook-settings.tsx";
import { shortUrl, WebhookState } from "./webhook-state.tsx";

type Webhook = Schemas["Webhook"];

export function WebhookPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-settings").webhooks;
	const { data, error, isLoading, reload } = useQuery(`webhook ${id}`, (signal) =>
		call("GET /webhooks/{id}", { path: { id }, signal }),
	);
	const webhook = data?.data;
	const name = webhook === undefined ? t.title : shortUrl(webhook);
	useScreenTitle(name, [{ label: t.title, href: "/console/webhooks" }, { label: name }]);
	if (webhook === undefined)
		return error === undefined ? (
			<Skeleton lines={8} />
		) : (
			<LoadError error={error} onRetry={reload} pending={isLoading} />
		);
	return <Shown webhook={webhook} name={name} reload={reload} />;
}

interface ShownProps {
	readonly webhook: Webhook;
	readonly name: string;
	readonly reload: () => void;
}

function Shown({ webhook, name, reload }: ShownProps) {
	const t = useWords("console-settings").webhooks;
	const [, navigate] = useLocation();
	const [dialog, setDialog] = useState<"change" | "rotate" | "disable" | "remove">();
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
	const remove = useAction(async () => {
		await call("DELETE /webhooks/{id}", { path: { id: webhook.id } });
		forgetQueries("GET /webhooks ");
		announce(t.removed);
		navigate("/console/webhooks");
	});
	const items: MenuItem[] = [
		{ label: t.rotate, onSelect: () => setDialog("rotate") },
		...(webhook.status === "active" ? [{ label: t.disable, onSelect: () => setDialog("disable") }] : []),
		{ label: t.remove, tone: "danger", startsGroup: true, onSelect: () => setDialog("remove") },
	];
	return (
		<>
			<PageHeader
				title={name}
				description={webhook.description === "" ? undefined : <bdi>{webhook.description}</bdi>}
				meta={<WebhookState webhook={webhook} />}
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
				<WebhookSettings webhook={webhook} />
				<Deliveries webhook={webhook} onTested={reload} />
			</div>
			{dialog === "change" && (
				<WebhookDialog webhook={webhook} onClose={close} onSaved={() => changed(t.saved)} />
			)}
			{dialog === "rotate" && <RotateDialog webhook={webhook} onClose={close} onRotated={reload} />}
			<ConfirmDialog
				open={dialog === "disable"}
				onClose={close}
				title={t.disableTitle}
				confirmLabel={t.disable}
				onConfirm={() => setStatus.run("disabled")}
				pending={setStatus.isPending}
				error={setStatus.error}
			>
				{t.disableText}
			</ConfirmDialog>
			<ConfirmDialog
				open={dialog === "remove"}
				onClose={close}
				title={t.removeTitle}
				confirmLabel={t.remove}
				typeToConfirm={name}
				onConfirm={remove.run}
				pending={remove.isPending}
				error={remove.error}
			>
				{t.removeText}
			</ConfirmDialog>
		</>
	);
}
