// The columns of the deliveries of a webhook.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import type { WordsOf } from "../../words/words.ts";

type Delivery = Schemas["WebhookDelivery"];
type Words = WordsOf<"console-settings">["webhooks"];

const TONES = { pending: "neutral", delivered: "plain", failed: "danger" } as const;

export function deliveryColumns(t: Words): readonly Column<Delivery>[] {
	return [
		{ key: "event_type", header: t.event, cell: ({ event_type }) => t.types[event_type] },
		{ key: "status", header: t.result, cell: (delivery) => <Result delivery={delivery} t={t} /> },
		{
			key: "attempts",
			header: t.attempts,
			align: "end",
			width: "6rem",
			cell: ({ attempts }) => format.number(attempts),
		},
		{ key: "created_at", header: t.time, cell: ({ created_at: at }) => <Time at={at} /> },
	];
}

export function Result({ delivery, t }: { readonly delivery: Delivery; readonly t: Words }) {
	const { status, attempts, last_attempt_at: lastAt, next_attempt_at: nextAt } = delivery;
	const response = responseInWords(delivery, t);
	if (status !== "pending" || lastAt === null || attempts === 0)
		return (
			<span class="lk-row">
				<Badge tone={TONES[status]}>{t.results[status]}</Badge>
				<span class="lk-muted">{response}</span>
			</span>
		);
	return (
		<span class="lk-row">
			<Badge tone="warning">{t.retrying}</Badge>
			<span class="lk-muted">
				{response}
				{nextAt !== null && (
					<>
						{" · "}
						{t.next} <Time at={nextAt} />
					</>
				)}
			</span>
		</span>
	);
}

/** The receiver's last response; `""` before the first attempt. */
export function responseInWords(
	{
		last_status_code: status,
		last_attempt_at: attemptedAt,
	}: Pick<Delivery, "last_status_code" | "last_attempt_at">,
	t: Words,
): string {
	if (status !== null) return t.answered(status);
	return attemptedAt === null ? "" : t.noAnswer;
}
