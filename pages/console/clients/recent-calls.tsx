// The effect of the typed allowlist on known calls.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { plus } from "../../ui/icons.ts";
import { Notice } from "../../ui/notice.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { covers, parseRange, type Range } from "../client-settings/address-range.ts";
import type { KnownCall } from "./known-calls.ts";

interface RecentCallsProps {
	readonly calls: readonly KnownCall[];
	readonly entries: readonly string[];
	readonly proposed?: Schemas["AllowlistReport"]["proposed_cidrs"];
	readonly onAdd?: (entry: string) => void;
}

export function RecentCalls({ calls, entries, proposed = [], onAdd }: RecentCallsProps) {
	const t = useWords("console-partners").clients;
	const ranges = entries.map(parseRange).filter((range): range is Range => !("problem" in range));
	const isAllowed = ({ ip }: KnownCall): boolean => {
		const address = parseRange(ip);
		return (
			entries.length === 0 || (!("problem" in address) && ranges.some((range) => covers(range, address)))
		);
	};
	const refused = calls.filter((known) => !isAllowed(known));
	const missing = proposed.filter(({ cidr }) => !entries.includes(cidr));
	return (
		<>
			{calls.length === 0 ? (
				<p class="lk-muted">{t.noRecent}</p>
			) : (
				<>
					<div role="status">
						<Notice tone={refused.length === 0 ? "success" : "warning"}>
							{refused.length === 0
								? t.refusesNone(calls.length)
								: t.refusesSome(refused.length, calls.length)}
						</Notice>
					</div>
					<Table
						caption={t.recent}
						rows={calls}
						rowKey={({ ip }) => ip}
						columns={[
							{ key: "ip", header: t.from, cell: ({ ip }) => <code>{ip}</code> },
							{
								key: "would",
								header: t.withThisList,
								cell: (known) =>
									isAllowed(known) ? (
										<Badge tone="plain">{t.allowed}</Badge>
									) : (
										<Badge tone="danger">{t.refused}</Badge>
									),
							},
							{ key: "kind", header: t.known, cell: ({ kind, calls: count }) => t.kinds[kind](count) },
							{ key: "at", header: t.at, cell: ({ at }) => <Time at={at} /> },
						]}
					/>
				</>
			)}
			{missing.length > 0 && (
				<div class="lk-stack">
					<p>{t.proposed}</p>
					<div class="lk-row">
						{missing.map(({ cidr }) => (
							<Button key={cidr} size="small" icon={plus} onClick={() => onAdd?.(cidr)}>
								{cidr}
							</Button>
						))}
					</div>
				</div>
			)}
			<p class="lk-muted">{t.notKnown}</p>
		</>
	);
}
