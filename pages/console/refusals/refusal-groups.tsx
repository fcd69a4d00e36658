// Refused calls by reason: its meaning, what to do, and the calls themselves.

import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronDown } from "../../ui/icons.ts";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { pkceRemedies } from "./pkce-remedy.ts";
import { NO_CALLER, type Refusal } from "./refusal.ts";
import { Repairs } from "./repairs.tsx";
import "./refusals.css";

interface RefusalGroupsProps {
	readonly refusals: readonly Refusal[];
	/** Rows of each reason; default: all. */
	readonly shownMax?: number;
	/** Whether the rows link to the record that they concern. */
	readonly showsSubject?: boolean;
	/** Undefined if the user may not explain signatures. */
	readonly onExplain?: ((refusal: Refusal) => void) | undefined;
	readonly onRepaired?: (() => void) | undefined;
}

/** The latest reason first. A single reason is expanded. */
export function RefusalGroups({ refusals, ...props }: RefusalGroupsProps) {
	const { reasons } = useWords("console-refusals");
	const groups = Map.groupBy(refusals, (refusal) => keyOf(refusal, reasons));
	return (
		<>
			{[...groups].map(([key, group]) => (
				<Reason key={key} name={key} refusals={group} isOpen={groups.size === 1} {...props} />
			))}
		</>
	);
}

type Reasons = WordsOf<"console-refusals">["reasons"];

/** The reason if it has a meaning; otherwise the code. */
function keyOf({ code, reason }: Refusal, reasons: Reasons): string {
	return reason !== null && reason in reasons ? reason : code;
}

interface ReasonProps extends RefusalGroupsProps {
	readonly name: string;
	readonly isOpen: boolean;
}

function Reason({
	name,
	refusals,
	isOpen,
	shownMax,
	showsSubject = false,
	onExplain,
	onRepaired,
}: ReasonProps) {
	const t = useWords("console-refusals");
	const [latest] = refusals;
	if (latest === undefined) return null;
	const known = t.reasons[name as keyof Reasons] ?? t.otherReason;
	const strangers = refusals.filter(
		({ caller, subject }) => caller === NO_CALLER && subject !== "gate",
	).length;
	const isAtGate = refusals.some(({ subject }) => subject === "gate");
	const hasDetail = refusals.some(({ reason }) => reason !== null && reason !== name);
	const isExplained =
		onExplain !== undefined && latest.subject === "api_client" && /^signature\./.test(latest.code);
	return (
		<details class="lk-refusal" open={isOpen}>
			<summary>
				<Icon shape={chevronDown} />
				<Badge tone="danger">{format.number(refusals.length)}</Badge>
				<span class="lk-refusal__reason">{known.title}</span>
				<code>{name}</code>
				<span class="lk-muted">
					<Time at={latest.at} />
				</span>
			</summary>
			<div class="lk-refusal__explained">
				<p>{known.meaning}</p>
				<p>
					<strong>{t.whatToDo}</strong> {known.todo}
				</p>
				<Pkce refusals={refusals} />
				<Repairs refusals={refusals} reason={name} namesClient={showsSubject} onRepaired={onRepaired} />
				{strangers > 0 && <p class="lk-muted">{t.unproven(strangers)}</p>}
			</div>
			<Table
				caption={known.title}
				rows={refusals.slice(0, shownMax)}
				rowKey={({ request_id: id, at }) => `${id} ${at}`}
				rowName={({ request_id: id }) => id}
				columns={[
					{ key: "at", header: t.at, cell: ({ at }) => <Time at={at} format="datetime" /> },
					...(showsSubject
						? [{ key: "subject", header: t.concerns, cell: (one: Refusal) => <Concerned refusal={one} /> }]
						: []),
					{
						key: "call",
						header: t.call,
						cell: ({ method, path }) => <code>{`${method} ${path}`}</code>,
					},
					...(hasDetail
						? [{ key: "detail", header: t.detail, cell: ({ reason }: Refusal) => <bdi>{reason}</bdi> }]
						: []),
					...(isAtGate
						? [
								{
									key: "rule",
									header: t.rule,
									cell: ({ rule }: Refusal) => (rule === null ? "–" : rule + 1),
								},
								{ key: "caller", header: t.caller, cell: ({ caller }: Refusal) => <code>{caller}</code> },
							]
						: []),
					{ key: "ip", header: t.from, cell: ({ ip }) => <bdi>{ip}</bdi> },
					{ key: "request", header: t.requestId, cell: ({ request_id: id }) => <code>{id}</code> },
				]}
				{...(isExplained
					? {
							rowActions: (refused: Refusal) => [
								{ label: t.explainThis, onSelect: () => onExplain(refused) },
							],
						}
					: {})}
			/>
		</details>
	);
}

/** How the libraries that sent no code challenge send one. */
function Pkce({ refusals }: { readonly refusals: readonly Refusal[] }) {
	const { pkce } = useWords("console-refusals");
	const found = refusals.map(({ reason }) => pkceRemedies(reason)).filter((each) => each !== undefined);
	if (found.length === 0) return null;
	const lines = new Map(found.flat().map(({ library, line }) => [library, line]));
	return (
		<>
			{[...lines].map(([library, line]) => (
				<p key={library}>
					{pkce.usual(library)} <code>{line}</code>
				</p>
			))}
			<p>
				<a class="lk-link" href="/docs/protect-your-application#if-the-first-sign-in-is-refused">
					{pkce.guide}
				</a>
			</p>
		</>
	);
}

/** A link to the API client, or to the part of the application that refused. */
function Concerned({ refusal }: { readonly refusal: Refusal }) {
	const t = useWords("console-refusals");
	const { subject, subject_name: name } = refusal;
	return (
		<>
			{t.subjects[subject]}{" "}
			<a class="lk-link" href={recordOf(refusal)}>
				<bdi>{name}</bdi>
			</a>
		</>
	);
}

function recordOf({ subject, api_client_id: client, application_id: application }: Refusal): string {
	if (subject === "api_client") return `/console/clients/${client}`;
	return `/console/applications/${application}#${subject === "gate" ? "gate" : "connect"}`;
}
