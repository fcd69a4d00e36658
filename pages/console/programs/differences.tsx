// How the document that a program publishes differs from the reviewed one.

import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Table } from "../../ui/table.tsx";
import { useWords } from "../../words/words.ts";
import "./programs.css";

type Difference = Schemas["ProgramDifference"];

export function Differences({ differences }: { readonly differences: readonly Difference[] }) {
	const t = useWords("console-partners").programs;
	return (
		<Card title={t.differences} description={t.differencesText} flush>
			<Table
				caption={t.differences}
				rows={differences}
				rowKey={({ member }) => member}
				columns={[
					{ key: "member", header: t.member, cell: ({ member }) => t.members[member] },
					{ key: "reviewed", header: t.reviewed, cell: ({ reviewed }) => <Values values={reviewed} /> },
					{ key: "current", header: t.current, cell: ({ current }) => <Values values={current} /> },
				]}
			/>
		</Card>
	);
}

function Values({ values }: { readonly values: readonly string[] }) {
	if (values.length === 0) return <span class="lk-muted">–</span>;
	return (
		<>
			{values.map((value) => (
				<code key={value} class="lk-program__value">
					<bdi>{value}</bdi>
				</code>
			))}
		</>
	);
}
