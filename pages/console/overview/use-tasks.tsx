// What there is to do, most urgent first: requests, webhooks, refused calls, and the lists that need attention.

import { useEffect, useState } from "preact/hooks";
import { useRenewal } from "../../api/query.ts";
import type { ResponseOf, Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { inbox, key, lock, mail, shield, webhook } from "../../ui/icons.ts";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { mayOpen, PLATFORM_ADMIN } from "../roles.ts";
import type { Counts } from "../waiting.ts";
import type { Task } from "./task.ts";

const HOUR_MS = 3_600_000;
const EXPIRY_DAYS = 30;
/** Longer lists of one kind are one task. */
const NAMED_MAX = 3;
/** Fewer refused calls in a day are no task. */
const REFUSED_MIN = 5;
const PAGE_MAX = 100;
/** The checks take seconds, and most visits end sooner. */
const CHECKS_AFTER_MS = 10_000;
const OLDEST = { status: "pending", sort: "oldest", page_size: 1 } as const;

export type Tasks = ReturnType<typeof useTasks>;

/** @param refusedCalls of the shown period; undefined while they load, or if they failed */
export function useTasks(
	counts: Counts,
	refusedCalls: { readonly isLoading: boolean; readonly count: number } | undefined,
) {
	const t = useWords("console").overview;
	const waiting = useCall("GET /requests", { query: OLDEST });
	useRenewal(waiting);
	const known = counts.data?.data;
	const failing = known?.failing_webhooks ?? 0;
	const webhooks = useCall("GET /webhooks", failing > 0 ? { query: { page_size: PAGE_MAX } } : undefined);
	const refusals = useCall(
		"GET /refusals",
		(refusedCalls?.count ?? 0) > 0 ? { query: { page_size: PAGE_MAX } } : undefined,
	);
	const checks = useInstallationTasks(t.seeWhy);
	const all: readonly Task[] = [
		...requestTask(waiting.data, t),
		...webhookTasks(webhooks.data?.data ?? [], failing, t),
		...refusalTasks(refusals.data?.data ?? [], t),
		...useCountedTasks(counts),
		// Last, because they come when the others have been read.
		...checks,
	];
	/** Whether the first responses are still missing. */
	const isHeld =
		refusedCalls?.isLoading === true ||
		[counts, waiting, ...(failing > 0 ? [webhooks] : []), ...(refusals.isLoading ? [refusals] : [])].some(
			({ data, error }) => (data ?? error) === undefined,
		);
	return { all, waiting, isHeld, queries: [counts, waiting] };
}

function useInstallationTasks(label: string): readonly Task[] {
	const [tasks, setTasks] = useState<readonly Task[]>([]);
	useEffect(() => {
		if (!mayOpen(PLATFORM_ADMIN)) return;
		const timer = setTimeout(() => {
			import("./installation-task.ts")
				.then((module) => module.readInstallation(label))
				.then(setTasks, reportError);
		}, CHECKS_AFTER_MS);
		return () => clearTimeout(timer);
	}, [label]);
	return tasks;
}

type Words = ReturnType<typeof useWords<"console">>["overview"];

function requestTask(waiting: ResponseOf<"GET /requests"> | undefined, t: Words): readonly Task[] {
	const [oldest] = waiting?.data ?? [];
	if (waiting === undefined || oldest === undefined) return [];
	const age = (
		<span class="lk-muted">
			· {t.oldest} <Time at={oldest.created_at} />
		</span>
	);
	return [
		{
			icon: inbox,
			text: (
				<>
					{t.waiting(waiting.total)} {age}
				</>
			),
			label: t.review,
			href: `/console/requests/${oldest.id}`,
		},
	];
}

function webhookTasks(webhooks: readonly Schemas["Webhook"][], count: number, t: Words): readonly Task[] {
	const found = webhooks.filter(({ failing }) => failing);
	const task = { icon: webhook, tone: "danger", label: t.seeWhy } as const;
	if (found.length === 0 || found.length > NAMED_MAX)
		return count === 0 ? [] : [{ ...task, text: t.failingWebhooks(count), href: "/console/webhooks" }];
	return found.map(({ id, url, status, failing_since: since }) => ({
		...task,
		text: (
			<>
				{status === "active" ? t.webhookFails(new URL(url).host) : t.webhookStopped(new URL(url).host)}{" "}
				{since !== null && (
					<span class="lk-muted">
						· {t.since} <Time at={since} />
					</span>
				)}
			</>
		),
		href: `/console/webhooks/${id}`,
	}));
}

/** Who was refused most often in the last day, with the most frequent code. */
function refusalTasks(refusals: readonly Schemas["Refusal"][], t: Words): readonly Task[] {
	const since = Date.now() - 24 * HOUR_MS;
	const recent = refusals.filter(({ at }) => Date.parse(at) >= since);
	const filterOf = ({ subject, api_client_id, application_id }: Schemas["Refusal"]) =>
		new URLSearchParams({
			subject,
			...(subject === "api_client"
				? { api_client_id: api_client_id ?? "" }
				: { application_id: application_id ?? "" }),
		}).toString();
	return [...Map.groupBy(recent, filterOf)]
		.filter(([filter, { length }]) => length >= REFUSED_MIN && !filter.endsWith("="))
		.sort(([, one], [, other]) => other.length - one.length)
		.slice(0, NAMED_MAX)
		.map(([filter, group]) => ({
			icon: shield,
			tone: "danger",
			text: (
				<>
					<bdi>{group[0]?.subject_name}</bdi>
					{t.refusedOften(group.length)} <code>{mostFrequent(group.map(({ code }) => code))}</code>
				</>
			),
			label: t.seeWhy,
			href: `/console/refusals?${filter}`,
		}));
}

function mostFrequent(codes: readonly string[]): string {
	const [first] = [...Map.groupBy(codes, (code) => code)].sort(([, a], [, b]) => b.length - a.length);
	return first?.[0] ?? "";
}

/** What the user's roles cannot see is null, and not shown. */
function useCountedTasks({ data }: Counts): readonly Task[] {
	const t = useWords("console").overview;
	const [expiry] = useState(expiringClients);
	const { expiring_api_clients, locked_users, failed_mails, waiting_mails } = data?.data ?? {};
	const counted = [
		[key, expiring_api_clients, t.expiringClients(expiring_api_clients ?? 0, EXPIRY_DAYS), expiry],
		[lock, locked_users, t.lockedPeople(locked_users ?? 0), "/console/people?locked=true"],
		[mail, failed_mails, t.failedMails(failed_mails ?? 0), "/console/mail?state=failed"],
		[mail, waiting_mails, t.waitingMails(waiting_mails ?? 0), "/console/mail?state=waiting"],
	] as const;
	return counted.flatMap(([icon, count, text, href]) =>
		(count ?? 0) > 0 ? [{ icon, text, href, label: t.show }] : [],
	);
}

/** As the API counts. */
function expiringClients(): string {
	const now = Date.now();
	const query = new URLSearchParams({
		status: "active",
		mode: "live",
		expires_after: new Date(now).toISOString(),
		expires_before: new Date(now + EXPIRY_DAYS * 24 * HOUR_MS).toISOString(),
	});
	return `/console/clients?${query}`;
}
