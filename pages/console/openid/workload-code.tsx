// What a client without a secret pastes into its pipeline, one workload at a time.

import { useState } from "preact/hooks";
import files from "../../../docs/no-secret-in-your-pipeline.md";
import type { Schemas } from "../../api/routes.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Link } from "../../ui/link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { ISSUER } from "./environment-file.ts";
import { blocksOf } from "./workload-block.ts";
import { identityOf, useWorkloadIssuers } from "./workload-fields.tsx";
import { NEW_ROW, rowOf } from "./workload-rows.ts";

export function WorkloadCode({ client }: { readonly client: Schemas["OAuthClient"] }) {
	const t = useWords("console-workloads");
	const [chosen, setChosen] = useState("0");
	const { issuers, isLoading } = useWorkloadIssuers();
	if (issuers === undefined && isLoading) return <Skeleton lines={8} />;
	const rows = client.workloads.map(rowOf);
	const row = rows[Number(chosen)] ?? rows[0] ?? NEW_ROW;
	const issuer = issuers?.find(({ id }) => id === row.issuer_id);
	const [resource] = client.allowed_resources;
	const values = {
		issuer: ISSUER,
		audience: issuer?.audience ?? ISSUER,
		clientId: client.client_id,
		resource: resource ?? "https://billing.example",
	};
	return (
		<div class="lk-stack">
			{rows.length > 1 && (
				<Select
					name="workload"
					label={t.platform}
					value={chosen}
					onValue={setChosen}
					options={client.workloads.map(({ subject }, index) => ({ value: String(index), label: subject }))}
				/>
			)}
			<DescriptionList
				items={[{ term: t.issuer, value: issuer?.display_name ?? row.issuer_id }, ...identityOf(row, t)]}
			/>
			{issuer?.enabled === false && <Notice tone="warning">{t.issuerDisabled}</Notice>}
			{resource === undefined && <Notice tone="warning">{t.noResource}</Notice>}
			{blocksOf(row, files, values).map(({ file, code }) => (
				<CodeBlock key={file} label={t.blockFor(file)} snippets={[{ key: file, label: file, code }]} />
			))}
			<p>
				<Link href="/docs/no-secret-in-your-pipeline">{t.guide}</Link>
			</p>
		</div>
	);
}
