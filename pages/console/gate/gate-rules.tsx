// The rules of a gate, read-only.

import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Table } from "../../ui/table.tsx";
import { useWords } from "../../words/words.ts";

export function GateRules({ rules }: Pick<Schemas["Gate"], "rules">) {
	const t = useWords("console-gate");
	if (rules.length === 0)
		return (
			<Card title={t.rules} description={t.rulesText}>
				<p class="lk-muted">{t.noRules}</p>
			</Card>
		);
	return (
		<Card title={t.rules} description={t.rulesText} flush>
			<Table
				caption={t.rules}
				rows={rules.map((rule, index) => ({ ...rule, number: index + 1 }))}
				rowKey={({ number }) => String(number)}
				columns={[
					{ key: "rule", header: t.rule, cell: ({ number }) => number },
					{
						key: "methods",
						header: t.methods,
						cell: ({ methods }) => (methods === undefined ? t.allMethods : <code>{methods.join(", ")}</code>),
					},
					{ key: "path", header: t.path, cell: ({ path }) => <code>{path}</code> },
					{ key: "needs", header: t.needs, cell: ({ needs }) => <code>{needs}</code> },
					{
						key: "flags",
						header: t.flags,
						cell: ({ mfa, test }) =>
							[mfa === true && t.mfa, test === true && t.test].filter(Boolean).join(", "),
					},
				]}
			/>
		</Card>
	);
}
