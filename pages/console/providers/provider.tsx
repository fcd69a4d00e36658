// `/console/providers/{id}`: what to enter at the provider, how to try it, and its settings.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useScreenTitle } from "../screen-title.ts";
import type { Provider } from "./provider-kinds.ts";
import { ProviderSettings } from "./provider-settings.tsx";
import { ProviderSteps } from "./provider-steps.tsx";
import { ProviderState } from "./providers.tsx";

export function ProviderPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-settings").providers;
	const { data, error, isLoading, reload } = useQuery(`provider ${id}`, (signal) =>
		call("GET /identity-providers/{id}", { path: { id }, signal }),
	);
	const name = data?.data.display_name ?? t.title;
	useScreenTitle(name, [{ label: t.title, href: "/console/providers" }, { label: name }]);
	if (data !== undefined) return <Shown provider={data.data} reload={reload} />;
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	return <Skeleton lines={8} />;
}

function Shown({ provider, reload }: { readonly provider: Provider; readonly reload: () => void }) {
	const t = useWords("console-settings").providers;
	const [, navigate] = useLocation();
	const [isRemoving, setRemoving] = useState(false);
	const path = { id: provider.id };
	const toggle = useAction(async () => {
		const enabled = !provider.enabled;
		await call("PATCH /identity-providers/{id}", { path, body: { enabled } });
		forgetQueries("GET /identity-providers");
		announce(enabled ? t.nowEnabled : t.nowDisabled);
		reload();
	});
	const remove = useAction(async () => {
		await call("DELETE /identity-providers/{id}", { path });
		forgetQueries("GET /identity-providers");
		announce(t.removed);
		navigate("/console/providers");
	});
	const actions = isAdmin() ? (
		<span class="lk-row">
			<Button pending={toggle.isPending} onClick={() => toggle.run()}>
				{provider.enabled ? t.disable : t.enable}
			</Button>
			<Menu items={[{ label: t.remove, tone: "danger", onSelect: () => setRemoving(true) }]} />
		</span>
	) : undefined;
	return (
		<>
			<PageHeader
				title={provider.display_name}
				description={t.kinds[provider.kind]}
				meta={<ProviderState enabled={provider.enabled} />}
				actions={actions}
			/>
			<div class="lk-stack">
				{toggle.error !== undefined && (
					<Notice tone="danger">
						<ErrorText error={toggle.error} />
					</Notice>
				)}
				<ProviderSteps provider={provider} />
				<ProviderSettings key={provider.updated_at} provider={provider} onSaved={reload} />
			</div>
			<ConfirmDialog
				open={isRemoving}
				onClose={() => setRemoving(false)}
				title={t.removeTitle}
				confirmLabel={t.remove}
				typeToConfirm={provider.display_name}
				onConfirm={remove.run}
				pending={remove.isPending}
				error={remove.error}
			>
				{t.removeText}
			</ConfirmDialog>
		</>
	);
}
