// Names and values of one record.

import type { ComponentChildren } from "preact";
import "./description-list.css";

export interface Description {
	readonly term: string;
	/** `undefined`, `null` and `""` show a dash. */
	readonly value: ComponentChildren;
}

/** `false` is left out. */
export function DescriptionList({ items }: { items: readonly (Description | false)[] }) {
	const shown = items.filter((item) => item !== false);
	return (
		<dl class="lk-descriptions">
			{shown.map(({ term, value }) => (
				<div class="lk-descriptions__row" key={term}>
					<dt class="lk-muted">{term}</dt>
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
