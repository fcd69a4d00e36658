// Refused calls of a client by reason: their meaning, what to do, and the calls themselves.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronDown } from "../../ui/icons.ts";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { LoadedCard } from "../loaded-card.tsx";
import "./client.css";
import type { ApiClient } from "./client-record.ts";
import type { ReportedCall } from "./explain-tab.tsx";

type RefusedCall = Schemas["RefusedCall"];

/** The API stores at most this many per client. */
const KEPT_MAX = 100;
const SHOWN_MAX = 5;

interface RefusalsProps {
	readonly client: ApiClient;
	/** Undefined if the user may not explain signatures. */
	readonly onExplain: ((call: ReportedCall) => void) | undefined;
}

export function Refusals({ client, onExplain }: RefusalsProps) {
	const t = useWords("console-partners").clients;
	const list = useQuery(`refusals ${client.id}`, (signal) =>
		call("GET /api-clients/{id}/refusals", {
			path: { id: client.id },
			query: { page_size: KEPT_MAX },
			signal,
		}),
	);
	return (
		<LoadedCard
			title={t.refusals}
			description={t.refusalsText}
			reloadLabel={t.reload}
			none={t.noRefusals}
			list={list}
		>
			{(rows) => (
				<>
					{groupsOf(rows).map((calls) => (
						<Reason key={`${calls[0]?.code} ${calls[0]?.reason}`} calls={calls} onExplain={onExplain} />
					))}
					<p class="lk-client__note">{t.refusalsKept}</p>
				</>
			)}
		</LoadedCard>
	);
}

/** By code and reason, the latest first. */
function groupsOf(calls: readonly RefusedCall[]): (readonly RefusedCall[])[] {
	const groups = new Map<string, RefusedCall[]>();
	for (const refused of calls) {
		const key = `${refused.code} ${refused.reason ?? ""}`;
		groups.set(key, [...(groups.get(key) ?? []), refused]);
	}
	return [...groups.values()];
}

interface ReasonProps {
	readonly calls: readonly RefusedCall[];
	readonly onExplain: RefusalsProps["onExplain"];
}

function Reason({ calls, onExplain }: ReasonProps) {
	const t = useWords("console-partners").clients;
	const [latest] = calls;
	if (latest === undefined) return null;
	const key = latest.reason ?? latest.code;
	const known = t.reasons[key as keyof typeof t.reasons] ?? t.otherReason;
	const strangers = calls.filter(({ signature_valid: isValid }) => !isValid).length;
	return (
		<details class="lk-client__refusal">
			<summary>
				<Icon shape={chevronDown} />
				<Badge tone="danger">{format.number(calls.length)}</Badge>
				<span class="lk-client__reason">{known.title}</span>
				<code>{key}</code>
				<span class="lk-muted">
					<Time at={latest.at} />
				</span>
			</summary>
			<div class="lk-client__explained">
				<p>{known.meaning}</p>
				<p>
					<strong>{t.whatToDo}</strong> {known.todo}
				</p>
				{strangers > 0 && <p class="lk-muted">{t.unproven(strangers)}</p>}
			</div>
			<Table
				caption={known.title}
				rows={calls.slice(0, SHOWN_MAX)}
				rowKey={({ request_id: id, at }) => `${id} ${at}`}
				rowName={({ request_id: id }) => id}
				columns={[
					{ key: "at", header: t.at, cell: ({ at }) => <Time at={at} format="datetime" /> },
					{
						key: "call",
						header: t.call,
						cell: ({ method, path }) => (
							<code>
								{method} {path}
							</code>
						),
					},
					{ key: "ip", header: t.from, cell: ({ ip }) => <bdi>{ip}</bdi> },
					{ key: "request", header: t.requestId, cell: ({ request_id: id }) => <code>{id}</code> },
				]}
				{...(onExplain !== undefined && latest.code.startsWith("signature.")
					? {
							rowActions: (refused: RefusedCall) => [
								{ label: t.explainThis, onSelect: () => onExplain(reportedOf(refused)) },
							],
						}
					: {})}
			/>
		</details>
	);
}

function reportedOf({ method, path, ip, at }: RefusedCall): ReportedCall {
	return { method, target: path, ip, receivedAt: at };
}
