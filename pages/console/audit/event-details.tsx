// All recorded details of an event: who, to whom, from where, and what changed.

import type { ComponentChildren } from "preact";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Link } from "../../ui/link.tsx";
import { useSeen } from "../../ui/seen.ts";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { type Change, ChangesTable, textOf } from "./changes-table.tsx";
import { nameOfRef, screenOf } from "./refs.ts";
import { pathOfEvent, Restore } from "./restore.tsx";

interface EventDetailsProps {
	readonly event: Schemas["AuditEvent"];
	readonly label: string;
	readonly onOnly: (name: string, value: string) => void;
	readonly onRestored: () => void;
}

export function EventDetails({ event, label, onOnly, onRestored }: EventDetailsProps) {
	const t = useWords("console-audit");
	const only = (name: "actor" | "target" | "ip" | "request_id" | "action") => () => onOnly(name, event[name]);
	const details = otherDetails(event);
	return (
		<div class="lk-events__details">
			<ChangesTable
				caption={t.changes}
				from={t.before}
				to={t.after}
				changes={event.changes as Readonly<Record<string, Change>>}
			/>
			<Restore event={event} onRestored={onRestored} />
			<DescriptionList
				items={[
					...restoredBy(t, event),
					{ term: t.who, value: <Thing event={event} side="actor" onOnly={only("actor")} /> },
					{
						term: t.what,
						value: (
							<WithMore onOnly={only("action")}>
								{label} <code>{event.action}</code>
							</WithMore>
						),
					},
					{
						term: t.onWhom,
						value: event.target && <Thing event={event} side="target" onOnly={only("target")} />,
					},
					{ term: t.when, value: <Time at={event.at} format="datetime" /> },
					{
						term: t.address,
						value: event.ip && (
							<WithMore onOnly={only("ip")}>
								<code dir="ltr">{event.ip}</code>
							</WithMore>
						),
					},
					{
						term: t.requestId,
						value: event.request_id && (
							<WithMore onOnly={only("request_id")}>
								<code dir="ltr">{event.request_id}</code>
							</WithMore>
						),
					},
					...details.map(([name, value]) => ({
						term: t.details[name] ?? name,
						value: <Detail name={name} value={value} event={event} />,
					})),
					{ term: t.hash, value: <code dir="ltr">{event.hash}</code> },
				]}
			/>
		</div>
	);
}

interface ThingProps {
	readonly event: Schemas["AuditEvent"];
	readonly side: "actor" | "target";
	readonly onOnly: () => void;
}

function Thing({ event, side, onOnly }: ThingProps) {
	const t = useWords("console-audit");
	const name = <bdi>{nameOfRef(t, event[side], event[`${side}_name`])}</bdi>;
	const href = screenOf(event[side]);
	return <WithMore onOnly={onOnly}>{href === undefined ? name : <Link href={href}>{name}</Link>}</WithMore>;
}

function WithMore({
	onOnly,
	children,
}: {
	readonly onOnly: () => void;
	readonly children: ComponentChildren;
}) {
	const t = useWords("console-audit");
	return (
		<span class="lk-row">
			{children}
			<Button variant="quiet" size="small" onClick={onOnly}>
				{t.allOfThese}
			</Button>
		</span>
	);
}

function Detail({ name, value, event }: { name: string; value: unknown; event: Schemas["AuditEvent"] }) {
	const t = useWords("console-audit");
	if (value === null) return <span class="lk-muted">{t.empty}</span>;
	if (name !== "app_id") return <code>{textOf(value)}</code>;
	return <ApplicationLink id={textOf(value)} recorded={textOf(event.details.app_name ?? "")} />;
}

/** By the name at the time, or now where the event has none. */
function ApplicationLink({ id, recorded }: { readonly id: string; readonly recorded: string }) {
	const [place, isSeen] = useSeen<HTMLSpanElement>();
	const found = useCall("GET /applications/{id}", recorded === "" && isSeen ? { path: { id } } : undefined);
	return (
		<span ref={place}>
			<Link href={screenOf(`application:${id}`) ?? ""}>
				<bdi>{recorded || (found.data?.data.name ?? id)}</bdi>
			</Link>
		</span>
	);
}

function restoredBy(t: WordsOf<"console-audit">, { details: { restores } }: Schemas["AuditEvent"]) {
	if (typeof restores !== "string") return [];
	const { term, oldEvent } = t.restore;
	return [{ term, value: <Link href={pathOfEvent(restores)}>{oldEvent}</Link> }];
}

/** Without the values in the table of changes, and what is shown otherwise. */
function otherDetails({ details, changes }: Schemas["AuditEvent"]): [string, unknown][] {
	return Object.entries(details).flatMap(([name, value]): [string, unknown][] => {
		if (name in changes || name === "restores" || (name === "app_name" && "app_id" in details)) return [];
		if (name !== "fields" || !Array.isArray(value)) return [[name, value]];
		const others = value.filter((field) => !(String(field) in changes));
		return others.length === 0 ? [] : [[name, others]];
	});
}
