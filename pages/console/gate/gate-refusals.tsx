// The last requests that a gate refused.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { refresh } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";

const SHOWN_MAX = 20;

export function GateRefusals({ applicationId: id }: { readonly applicationId: string }) {
	const t = useWords("console-gate");
	const { data, error, isLoading, reload } = useQuery(`gate refusals ${id}`, (signal) =>
		call("GET /applications/{id}/gate/refusals", { path: { id }, query: { page_size: SHOWN_MAX }, signal }),
	);
	return (
		<Card
			title={t.refusals}
			description={t.refusalsText}
			flush={data !== undefined && data.total > 0}
			actions={
				<Button size="small" icon={refresh} pending={isLoading} onClick={reload}>
					{t.reload}
				</Button>
			}
		>
			{error !== undefined ? (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			) : data === undefined ? (
				<Skeleton lines={3} />
			) : data.total === 0 ? (
				<p class="lk-muted">{t.noRefusals}</p>
			) : (
				<Table
					caption={t.refusals}
					rows={data.data}
					rowKey={({ request_id, at }) => `${request_id} ${at}`}
					rowName={({ request_id }) => request_id}
					columns={[
						{ key: "at", header: t.at, cell: ({ at }) => <Time at={at} format="datetime" /> },
						{
							key: "request",
							header: t.request,
							cell: ({ method, path }) => <code>{`${method} ${path}`}</code>,
						},
						{ key: "rule", header: t.rule, cell: ({ rule }) => (rule === null ? "–" : rule + 1) },
						{ key: "code", header: t.code, cell: ({ code }) => <code>{code}</code> },
						{ key: "caller", header: t.caller, cell: ({ caller }) => <code>{caller}</code> },
						{ key: "ip", header: t.from, cell: ({ ip }) => <bdi>{ip}</bdi> },
						{ key: "id", header: t.requestId, cell: ({ request_id }) => <code>{request_id}</code> },
					]}
				/>
			)}
		</Card>
	);
}
