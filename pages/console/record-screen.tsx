// The screen of one record: its name in the title and the breadcrumbs, and the record once it is loaded.

import type { ComponentChildren } from "preact";
import type { Query } from "../api/query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { useScreenTitle } from "./screen-title.ts";

interface RecordScreenProps<Data> {
	readonly query: Query<Data>;
	readonly list: { readonly label: string; readonly href: string };
	readonly nameOf: (data: Data) => string;
	/** Until the record is loaded. */
	readonly unnamed: string;
	readonly children: (data: Data) => ComponentChildren;
}

export function RecordScreen<Data>({ query, list, nameOf, unnamed, children }: RecordScreenProps<Data>) {
	const name = query.data === undefined ? unnamed : nameOf(query.data);
	useScreenTitle(name, [list, { label: name }]);
	return <Loaded query={query}>{children}</Loaded>;
}
