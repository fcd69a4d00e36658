// API identifiers that a tenant cannot use because they are assigned to another one. Shown only if there are any.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { ConfirmAction } from "../../dialogs/confirm-action.tsx";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pagination } from "../../ui/pagination.tsx";
import { Table } from "../../ui/table.tsx";
import { useWords } from "../../words/words.ts";

type Contested = Schemas["ContestedResource"];
const PAGE_SIZE = 20;

export function ContestedResources() {
	const t = useWords("console-settings").tenants;
	const [page, setPage] = useState(1);
	const { data, error, isLoading, reload } = useQuery(`GET /contested-resources ${page}`, (signal) =>
		call("GET /contested-resources", { query: { page, page_size: PAGE_SIZE }, signal }),
	);
	const [chosen, setChosen] = useState<Contested>();
	if (error !== undefined) return <LoadError error={error} onRetry={reload} />;
	if (data === undefined || data.total === 0) return null;
	return (
		<Card
			title={t.contested}
			description={t.contestedText}
			flush
			footer={
				data.total > PAGE_SIZE ? (
					<Pagination page={page} pageSize={PAGE_SIZE} total={data.total} onPage={setPage} />
				) : undefined
			}
		>
			<Table
				caption={t.contested}
				columns={[
					{ key: "resource", header: t.resource, cell: ({ resource }) => <code dir="ltr">{resource}</code> },
					{ key: "tenant", header: t.requestedBy, cell: ({ tenant_name }) => <bdi>{tenant_name}</bdi> },
					{
						key: "assigned",
						header: t.assignedTo,
						cell: ({ assigned_tenant_name }) => <bdi>{assigned_tenant_name}</bdi>,
					},
				]}
				rows={data.data}
				rowKey={({ application_id }) => application_id}
				rowName={({ resource, tenant_name }) => `${resource} ${tenant_name}`}
				rowActions={(row) => [{ label: t.assign(row.tenant_name), onSelect: () => setChosen(row) }]}
				isLoading={isLoading}
				expectedRows={1}
			/>
			{chosen !== undefined && (
				<ConfirmAction
					title={t.assignTitle(chosen.resource, chosen.tenant_name)}
					submitLabel={t.assignIt}
					act={() =>
						call("PUT /tenants/{id}/resources", {
							path: { id: chosen.tenant_id },
							body: { resource: chosen.resource },
						})
					}
					done={t.assigned(chosen.resource, chosen.tenant_name)}
					onClose={() => setChosen(undefined)}
					onDone={reload}
				>
					{t.assignText(chosen.assigned_tenant_name)}
				</ConfirmAction>
			)}
		</Card>
	);
}
