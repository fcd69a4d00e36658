// Old and new values of the fields that an event changed.

import { useWords } from "../../words/words.ts";
import { textOf } from "./text-of.ts";

interface Change {
	readonly from: unknown;
	readonly to: unknown;
}

export function Changes({ changes }: { readonly changes: Readonly<Record<string, unknown>> }) {
	const t = useWords("console-audit");
	const all = Object.entries(changes) as [string, Change][];
	if (all.length === 0) return null;
	return (
		<table class="lk-changes">
			<caption class="lk-hidden">{t.changes}</caption>
			<thead>
				<tr>
					<th scope="col">{t.field}</th>
					<th scope="col">{t.before}</th>
					<th scope="col">{t.after}</th>
				</tr>
			</thead>
			<tbody>
				{all.map(([field, { from, to }]) => (
					<tr key={field}>
						<th scope="row">
							<code>{field}</code>
						</th>
						<td>
							<Value value={from} />
						</td>
						<td>
							<Value value={to} />
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function Value({ value }: { readonly value: unknown }) {
	const t = useWords("console-audit");
	const text = value === null || value === undefined ? "" : textOf(value);
	return text === "" ? <span class="lk-muted">{t.empty}</span> : <bdi>{text}</bdi>;
}
