// Names and values of one record.

import type { ComponentChildren } from "preact";
import "./description-list.css";

export interface Description {
	readonly term: string;
	/** `undefined`, `null` and `""` show a dash. */
	readonly value: ComponentChildren;
}

export function DescriptionList({ items }: { items: readonly Description[] }) {
	return (
		<dl class="lk-descriptions">
			{items.map(({ term, value }) => (
				<div class="lk-descriptions__row" key={term}>
					<dt>{term}</dt>
					<dd>
						{value === undefined || value === null || value === "" ? (
							<span class="lk-muted">–</span>
						) : typeof value === "string" ? (
							<bdi>{value}</bdi>
						) : (
							value
						)}
					</dd>
				</div>
			))}
		</dl>
	);
}
