// The columns of the list of mails.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { isolateRuns } from "../../words/isolate.ts";
import type { WordsOf } from "../../words/words.ts";
import "./mail.css";

type ListedMail = Schemas["Mail"];
type Words = WordsOf<"console-settings">["mail"];

/** Color only for what needs attention. */
const TONES = { waiting: "neutral", sent: "plain", failed: "danger" } as const;

export function mailColumns(t: Words): readonly Column<ListedMail>[] {
	return [
		{
			key: "subject",
			header: t.subject,
			cell: ({ subject, to }) => (
				<span class="lk-mail">
					<bdi>{isolateRuns(subject || t.unknown)}</bdi>
					<bdi class="lk-muted">{to || t.unknown}</bdi>
				</span>
			),
		},
		{ key: "state", header: t.state, cell: (mail) => <State mail={mail} t={t} /> },
		{
			key: "attempts",
			header: t.attempts,
			align: "end",
			width: "6rem",
			cell: ({ attempts }) => format.number(attempts),
		},
		{ key: "at", header: t.time, cell: ({ at }) => <Time at={at} /> },
	];
}

function State({ mail, t }: { readonly mail: ListedMail; readonly t: Words }) {
	const isRetried = mail.next_at !== null && mail.attempts > 0;
	return (
		<span class="lk-mail">
			<span class="lk-row">
				<Badge tone={isRetried ? "warning" : TONES[mail.state]}>{t.states[mail.state]}</Badge>
				{isRetried && (
					<span class="lk-muted">
						{t.next} <Time at={mail.next_at} />
					</span>
				)}
			</span>
			{mail.last_error !== "" && mail.state !== "sent" && <bdi class="lk-muted">{mail.last_error}</bdi>}
		</span>
	);
}
