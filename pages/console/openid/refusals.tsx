// The last refused sign-ins and token requests of an OAuth client.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { LoadedCard } from "../loaded-card.tsx";

/** The API stores at most this many per client. */
const KEPT_MAX = 100;

export function Refusals({ clientId }: { readonly clientId: string }) {
	const t = useWords("console-access").openid.refusals;
	const list = useQuery(`oauth refusals ${clientId}`, (signal) =>
		call("GET /applications/{id}/oauth-client/refusals", {
			path: { id: clientId },
			query: { page_size: KEPT_MAX },
			signal,
		}),
	);
	return (
		<LoadedCard title={t.title} description={t.text} reloadLabel={t.reload} none={t.none} list={list}>
			{(rows) => (
				<Table
					caption={t.title}
					rows={rows}
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
		</LoadedCard>
	);
}
