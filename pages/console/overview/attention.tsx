// What needs attention, each with a link to its list.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, type IconShape, key, lock, mail, success, webhook } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";

const HOUR_MS = 3_600_000;
const EXPIRY_DAYS = 30;
/** The maximum per tenant. */
const WEBHOOKS_MAX = 50;

interface Item {
	readonly icon: IconShape;
	readonly text: string;
	readonly href: string;
	readonly count: number;
}

export function Attention() {
	const t = useWords("console").overview;
	const { from, to } = expiryRange();
	const { data, error, isLoading, loadedAt, reload } = useQuery(`attention ${from}`, (signal) =>
		countAll({ from, to }, signal),
	);
	const expiry = new URLSearchParams({
		status: "active",
		mode: "live",
		expires_after: from,
		expires_before: to,
	});
	const items: readonly Item[] = [
		{
			icon: key,
			text: t.expiringClients(data?.expiring ?? 0, EXPIRY_DAYS),
			href: `/console/clients?${expiry}`,
			count: data?.expiring ?? 0,
		},
		{
			icon: lock,
			text: t.lockedPeople(data?.locked ?? 0),
			href: "/console/people?locked=true",
			count: data?.locked ?? 0,
		},
		{
			icon: mail,
			text: t.failedMails(data?.failedMails ?? 0),
			href: "/console/mail?state=failed",
			count: data?.failedMails ?? 0,
		},
		{
			icon: mail,
			text: t.waitingMails(data?.waitingMails ?? 0),
			href: "/console/mail?state=waiting",
			count: data?.waitingMails ?? 0,
		},
		{
			icon: webhook,
			text: t.failingWebhooks(data?.webhooks ?? 0),
			href: "/console/webhooks",
			count: data?.webhooks ?? 0,
		},
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

/** Rounded to the hour, so that reopening the screen repeats the same, cached query. */
function expiryRange(): { readonly from: string; readonly to: string } {
	const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
	const to = new Date(hour + EXPIRY_DAYS * 24 * HOUR_MS);
	return { from: new Date(hour).toISOString(), to: to.toISOString() };
}

async function countAll({ from, to }: ReturnType<typeof expiryRange>, signal: AbortSignal) {
	const one = { page_size: 1 } as const;
	/** Only administrators can see mails. */
	const mails = async (state: "failed" | "waiting") =>
		isAdmin() ? (await call("GET /mails", { query: { ...one, state }, signal })).total : 0;
	const [clients, locked, failedMails, waitingMails, webhooks] = await Promise.all([
		call("GET /api-clients", {
			query: { ...one, status: "active", mode: "live", expires_after: from, expires_before: to },
			signal,
		}),
		call("GET /users", { query: { ...one, locked: "true" }, signal }),
		mails("failed"),
		mails("waiting"),
		call("GET /webhooks", { query: { page_size: WEBHOOKS_MAX }, signal }),
	]);
	const isFailing = ({ failing_since, disabled_reason }: (typeof webhooks.data)[number]) =>
		failing_since !== null || disabled_reason === "failing" || disabled_reason === "gone";
	return {
		expiring: clients.total,
		locked: locked.total,
		failedMails,
		waitingMails,
		webhooks: webhooks.data.filter(isFailing).length,
	};
}
