// The screen of a queue: the list, the open request, and the keys that move and decide. Both queues share it.

import type { ComponentChildren } from "preact";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { inbox } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import type { BulkAction } from "../bulk/bulk-bar.tsx";
import { mayDecide } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { showShortcuts } from "../shortcuts/console-shortcuts.tsx";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import { setDecision } from "./drafts.ts";
import { RequestList, type RequestTexts } from "./request-list.tsx";
import "./requests.css";
import type { QueuedRequest, RequestsOnScreen } from "./use-requests.ts";

interface QueueScreenProps<Row extends QueuedRequest> {
	readonly requests: RequestsOnScreen<Row>;
	readonly openId: string | undefined;
	readonly title: string;
	/** Undefined for no description. */
	readonly description: string | undefined;
	readonly actions?: ComponentChildren;
	readonly search: { readonly label: string; readonly placeholder: string };
	readonly noneWaiting: string;
	readonly textsOf: (row: Row) => RequestTexts;
	readonly detailOf: (row: Row) => ComponentChildren;
	/** Rows can be selected for these. */
	readonly bulkActions?: readonly BulkAction<Row>[] | undefined;
}

export function QueueScreen<Row extends QueuedRequest>(props: QueueScreenProps<Row>) {
	const { requests, openId: id, title, textsOf } = props;
	const t = useWords("console-partners").requests;
	const { shortcuts } = useWords("console");
	const { open, rows } = requests;
	const name = open === undefined ? t.request : textsOf(open).title;
	useScreenTitle(
		title,
		id === undefined ? undefined : [{ label: title, href: requests.queue.path }, { label: name }],
	);
	const decide = (decision: "approve" | "reject") => {
		if (open?.status === "pending" && mayDecide()) setDecision(open.id, decision);
	};
	useShortcuts([
		{ key: "j", does: t.keys.next, run: () => requests.move(1) },
		{ key: "k", does: t.keys.previous, run: () => requests.move(-1) },
		{ key: "a", does: t.keys.approve, run: () => decide("approve"), isUsable: mayDecide },
		{ key: "r", does: t.keys.reject, run: () => decide("reject"), isUsable: mayDecide },
	]);
	return (
		<>
			<PageHeader
				title={title}
				description={props.description}
				actions={
					<span class="lk-row">
						{props.actions}
						<span class="lk-requests__keys">
							<Button variant="quiet" onClick={showShortcuts}>
								{shortcuts.title}
							</Button>
						</span>
					</span>
				}
			/>
			<div class={id === undefined ? "lk-requests" : "lk-requests lk-requests--open"}>
				<RequestList
					requests={requests}
					openId={id}
					search={props.search}
					textsOf={textsOf}
					noneWaiting={props.noneWaiting}
					bulkActions={props.bulkActions}
				/>
				<div class="lk-requests__open">
					{open !== undefined ? (
						props.detailOf(open)
					) : id === undefined ? (
						rows?.length !== 0 && <EmptyState icon={inbox} title={t.choose} />
					) : requests.loading.error !== undefined ? (
						<LoadError error={requests.loading.error} onRetry={requests.loading.reload} />
					) : (
						<Skeleton lines={8} />
					)}
				</div>
			</div>
		</>
	);
}
