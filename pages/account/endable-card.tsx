// A card with a list whose entries the user can end, each after a question. Hidden if there are none.

import { useState } from "preact/hooks";
import { useQuery } from "../api/query.ts";
import { ConfirmAction } from "../dialogs/confirm-action.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { application } from "../ui/icons.ts";
import type { Page } from "../ui/list.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Pagination } from "../ui/pagination.tsx";

interface Ending {
	readonly title: string;
	readonly text: string;
	/** On the buttons. */
	readonly label: string;
	readonly done: string;
	act(): Promise<unknown>;
}

interface EndableCardProps<Item> {
	/** Of the query. */
	readonly name: string;
	readonly title: string;
	readonly description: string;
	load(page: number, signal: AbortSignal): Promise<Page<Item>>;
	entryOf(item: Item): Pick<Entry, "key" | "badge" | "title" | "detail"> & { readonly title: string };
	/** Undefined for what cannot be ended. */
	endingOf(item: Item): Ending | undefined;
}

export function EndableCard<Item>(props: EndableCardProps<Item>) {
	const { name, title, description, load, entryOf, endingOf } = props;
	const [page, setPage] = useState(1);
	const [ended, setEnded] = useState<Item>();
	const { data, error, isLoading, reload } = useQuery(`${name} ${page}`, (signal) => load(page, signal));
	if (data === undefined)
		return error === undefined ? null : <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data.total === 0) return null;
	const entries = data.data.map((item) => {
		const entry = entryOf(item);
		const ending = endingOf(item);
		const actions = ending && (
			<Button size="small" onClick={() => setEnded(item)}>
				{ending.label}
				<span class="lk-hidden"> {entry.title}</span>
			</Button>
		);
		return { ...entry, icon: application, actions };
	});
	const ending = ended === undefined ? undefined : endingOf(ended);
	return (
		<>
			<Card title={title} description={description} flush>
				<EntryList label={title} entries={entries} />
			</Card>
			{data.total > data.page_size && (
				<Pagination page={page} pageSize={data.page_size} total={data.total} onPage={setPage} />
			)}
			{ending !== undefined && (
				<ConfirmAction
					title={ending.title}
					submitLabel={ending.label}
					act={ending.act}
					done={ending.done}
					onClose={() => setEnded(undefined)}
					onDone={() => (page === 1 ? reload() : setPage(1))}
				>
					{ending.text}
				</ConfirmAction>
			)}
		</>
	);
}
