// What needs attention, each with a link to its list.

import { useState } from "preact/hooks";
import type { Query } from "../../api/query.ts";
import type { ResponseOf } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, type IconShape, key, lock, mail, success, webhook } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";

const DAY_MS = 86_400_000;
const EXPIRY_DAYS = 30;

interface Item {
	readonly icon: IconShape;
	readonly text: string;
	readonly href: string;
	readonly count: number;
}

/** What the user's roles cannot see is null, and not shown. */
export function Attention({ query }: { readonly query: Query<ResponseOf<"GET /overview">> }) {
	const t = useWords("console").overview;
	const [{ from, to }] = useState(expiryRange);
	const { data, error, isLoading, loadedAt, reload } = query;
	const counts = data?.data;
	const [expiring, locked] = [counts?.expiring_api_clients ?? 0, counts?.locked_users ?? 0];
	const [failed, waiting] = [counts?.failed_mails ?? 0, counts?.waiting_mails ?? 0];
	const failing = counts?.failing_webhooks ?? 0;
	const expiry = new URLSearchParams({
		status: "active",
		mode: "live",
		expires_after: from,
		expires_before: to,
	});
	const items: readonly Item[] = [
		{
			icon: key,
			text: t.expiringClients(expiring, EXPIRY_DAYS),
			href: `/console/clients?${expiry}`,
			count: expiring,
		},
		{ icon: lock, text: t.lockedPeople(locked), href: "/console/people?locked=true", count: locked },
		{ icon: mail, text: t.failedMails(failed), href: "/console/mail?state=failed", count: failed },
		{ icon: mail, text: t.waitingMails(waiting), href: "/console/mail?state=waiting", count: waiting },
		{ icon: webhook, text: t.failingWebhooks(failing), href: "/console/webhooks", count: failing },
	];
	const shown = items.filter(({ count }) => count > 0);
	return (
		<Card title={t.attention} flush={shown.length > 0}>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{data === undefined && error === undefined && <Skeleton lines={3} />}
			{error !== undefined && loadedAt !== undefined && shown.length > 0 && (
				<p class="lk-overview__as-of">{t.asOf(format.time(loadedAt))}</p>
			)}
			{data !== undefined && error === undefined && shown.length === 0 && (
				<span class="lk-row lk-muted">
					<Icon shape={success} />
					{t.nothing}
				</span>
			)}
			{shown.length > 0 && (
				<ul class="lk-overview__list">
					{shown.map(({ icon, text, href }) => (
						<li key={href}>
							<a class="lk-overview__item" href={href}>
								<Icon shape={icon} />
								<span>{text}</span>
								<Icon shape={chevronForward} mirrored />
							</a>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}

/** As the API counts. */
function expiryRange(): { readonly from: string; readonly to: string } {
	const now = Date.now();
	return {
		from: new Date(now).toISOString(),
		to: new Date(now + EXPIRY_DAYS * DAY_MS).toISOString(),
	};
}
