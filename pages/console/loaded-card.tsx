// A card with one page of a list, which a button reloads.

import type { ComponentChildren } from "preact";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { refresh } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import type { ShownQuery } from "../ui/loaded.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

interface LoadedCardProps<Row> {
	readonly title: string;
	readonly description: string;
	readonly reloadLabel: string;
	/** Shown if the list is empty. */
	readonly none: string;
	readonly list: ShownQuery<{ readonly data: readonly Row[] }>;
	/** Called with at least one row. */
	readonly children: (rows: readonly Row[]) => ComponentChildren;
}

export function LoadedCard<Row>({
	title,
	description,
	reloadLabel,
	none,
	list,
	children,
}: LoadedCardProps<Row>) {
	const { data, error, isLoading, reload } = list;
	const rows = data?.data ?? [];
	return (
		<Card
			title={title}
			description={description}
			flush={error === undefined && rows.length > 0}
			actions={
				<Button size="small" icon={refresh} pending={isLoading} onClick={reload}>
					{reloadLabel}
				</Button>
			}
		>
			{error !== undefined ? (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			) : data === undefined ? (
				<Skeleton lines={3} />
			) : rows.length === 0 ? (
				<p class="lk-muted">{none}</p>
			) : (
				children(rows)
			)}
		</Card>
	);
}
