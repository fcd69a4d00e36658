// Two values of each field that differs.

import { useWords } from "../../words/words.ts";
import "./changes-table.css";

export interface Change {
	readonly from: unknown;
	readonly to: unknown;
}

interface ChangesTableProps {
	readonly caption: string;
	/** Heads the columns of values. */
	readonly from: string;
	readonly to: string;
	readonly changes: Readonly<Record<string, Change>>;
}

/** Nothing without changes. */
export function ChangesTable({ caption, from, to, changes }: ChangesTableProps) {
	const t = useWords("console-audit");
	const all = Object.entries(changes);
	if (all.length === 0) return null;
	return (
		<table class="lk-changes">
			<caption class="lk-hidden">{caption}</caption>
			<thead>
				<tr>
					<th scope="col">{t.field}</th>
					<th scope="col">{from}</th>
					<th scope="col">{to}</th>
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

/** A recorded value as text. */
export function textOf(value: unknown): string {
	if (Array.isArray(value)) return value.map(textOf).join(", ");
	return typeof value === "string" ? value : JSON.stringify(value);
}
