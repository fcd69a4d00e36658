// The last refused sign-ins and token requests of an OAuth client.

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

/** The API stores at most this many per client. */
const KEPT_MAX = 100;

export function Refusals({ clientId }: { readonly clientId: string }) {
	const t = useWords("console-access").openid.refusals;
	const { data, error, isLoading, reload } = useQuery(`oauth refusals ${clientId}`, (signal) =>
		call("GET /applications/{id}/oauth-client/refusals", {
			path: { id: clientId },
			query: { page_size: KEPT_MAX },
			signal,
		}),
	);
	return (
		<Card
			title={t.title}
			description={t.text}
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
				<p class="lk-muted">{t.none}</p>
			) : (
				<Table
					caption={t.title}
					rows={data.data}
					rowKey={({ request_id: id, at }) => `${id} ${at}`}
					rowName={({ request_id: id }) => id}
					columns={[
						{ key: "at", header: t.at, cell: ({ at }) => <Time at={at} format="datetime" /> },
						{
							key: "reason",
							header: t.reason,
							cell: ({ code, reason }) => (
								<>
									<code>{code}</code> <bdi>{reason}</bdi>
								</>
							),
						},
						{
							key: "request",
							header: t.request,
							cell: ({ method, path }) => <code>{`${method} ${path}`}</code>,
						},
						{ key: "ip", header: t.from, cell: ({ ip }) => <bdi>{ip}</bdi> },
						{ key: "id", header: t.requestId, cell: ({ request_id: id }) => <code>{id}</code> },
					]}
				/>
			)}
		</Card>
	);
}
