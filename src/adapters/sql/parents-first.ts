// Puts tables in an order in which rows can be inserted: what is referred to comes first.

import type { Table } from "../../features/backup/model.ts";

export interface RelatedTable extends Table {
	/** Names of the tables its foreign keys refer to. */
	readonly parents: readonly string[];
}

/** Otherwise by name. @throws Error when tables refer to each other in a circle. */
export function parentsFirst(tables: readonly RelatedTable[]): RelatedTable[] {
	const waiting = [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));
	const ordered: RelatedTable[] = [];
	const done = new Set<string>();
	while (waiting.length > 0) {
		const next = waiting.findIndex(({ name, parents }) =>
			parents.every((parent) => parent === name || done.has(parent)),
		);
		const [table] = next < 0 ? [] : waiting.splice(next, 1);
		if (table === undefined)
			throw new Error(
				`tables refer to each other in a circle: ${waiting.map(({ name }) => name).join(", ")}`,
			);
		ordered.push(table);
		done.add(table.name);
	}
	return ordered;
}
