// Sorts tables so that rows can be inserted: referenced tables come first.

import type { Table } from "../../domain/backup.ts";

export interface RelatedTable extends Table {
	/** Names of the tables its foreign keys refer to. */
	readonly parents: readonly string[];
}

/** Ties by name. @throws Error for circular references. */
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
