// `/console/reviews/{id}`: the items of a review, the riskiest first, decided one by one with a key, or several at once.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { labels } from "../../ui/filter-bar.tsx";
import { check, shield } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { RowBox, SelectAll } from "../../ui/row-box.tsx";
import { useSelection } from "../../ui/selection.ts";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { BulkBar } from "../bulk/bulk-bar.tsx";
import { confirmAction } from "../dialogs.tsx";
import { ExportFile } from "../export/export-file.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin, isMember, isReader } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import "./review.css";
import { REVIEWS_PATH } from "./reviews.tsx";

type Review = Schemas["Review"];
type Item = Schemas["ReviewItem"];
type Decision = "keep" | "end";
const KEYS = { keep: "k", end: "e" } as const;

const STATES = ["open", "kept", "ended"] as const;
const FLAGS = ["never_used", "unused_90_days", "owner_left"] as const;

export function ReviewScreen({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-reviews");
	const query = useCall("GET /reviews/{id}", { path: { id } });
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: REVIEWS_PATH }}
			unnamed={t.review}
			nameOf={({ data }) => data.name}
		>
			{({ data }) => <Items review={data} reload={query.reload} />}
		</RecordScreen>
	);
}

interface ItemsProps {
	readonly review: Review;
	readonly reload: () => void;
}

const mayDecide = () => isAdmin() || isMember.value || !isReader();
const nameOf = ({ subject_name, app_name }: Item) => [subject_name, app_name].filter(Boolean).join(" · ");

/** Of a changed item, with what the page shows. */
async function decide({ review_id, id, version }: Item, decision: Decision): Promise<Item> {
	const path = { id: review_id, item_id: id };
	const body = { decision, ...(decision === "keep" && { version }) };
	return (await call("POST /reviews/{id}/items/{item_id}", { path, body })).data;
}

function Items({ review, reload }: ItemsProps) {
	const t = useWords("console-reviews");
	const state = useListState({ filters: ["q", "state", "flag"], defaults: { state: "open" } });
	const list = usePage(`GET /reviews/{id}/items`, state, { path: { id: review.id } });
	const [decided, setDecided] = useState<ReadonlyMap<string, Item>>(new Map());
	const [currentId, setCurrent] = useState("");
	const isOpen = review.status === "open";
	const reloadAll = () => {
		list.reload();
		reload();
	};
	const close = () =>
		confirmAction({
			title: t.closeTitle,
			text: t.closeText,
			submitLabel: t.close,
			act: () => call("POST /reviews/{id}/close", { path: { id: review.id } }),
			done: t.closed,
			onDone: reloadAll,
		});
	const isQueue = state.settled.state === "open";
	const all = list.data?.data ?? [];
	const rows = all.flatMap((row) => (isQueue && decided.has(row.id) ? [] : (decided.get(row.id) ?? row)));
	const current = rows.find(({ id }) => id === currentId) ?? rows[0];
	const isUsable = () => isOpen && mayDecide();
	const open = isUsable() ? rows.filter(({ state }) => state === "open") : [];
	const undecided = open.map(({ id }) => id);
	const selection = useSelection(undecided);
	// The last item of a page was decided, and the decision is stored: the rest is on the first page.
	const isPageDone =
		list.data !== undefined &&
		list.data.total > 0 &&
		rows.length === 0 &&
		all.every(({ id }) => typeof decided.get(id)?.decided_at === "string");
	useEffect(() => {
		if (!isPageDone) return;
		state.setPage(1);
		reloadAll();
	}, [isPageDone]);
	/** How many of the decisions `review` counts. */
	const counted = useRef({ review, decisions: 0 });
	if (counted.current.review !== review) counted.current = { review, decisions: decided.size };
	const done = review.total - review.open + decided.size - counted.current.decisions;
	const move = (by: 1 | -1) => {
		const to = rows[rows.findIndex(({ id }) => id === current?.id) + by];
		if (to !== undefined) show(to.id);
	};
	const show = (id: string) => {
		setCurrent(id);
		document.getElementById(`item-${id}`)?.scrollIntoView({ block: "nearest" });
	};
	const note = (...items: readonly Item[]) =>
		setDecided((before) => new Map([...before, ...items.map((item) => [item.id, item] as const)]));
	/** Of several at once; the list shows them together, when all are done. */
	const many = useRef<Item[]>([]);
	const selectLike = () => {
		if (current === undefined) return;
		const alike = open.filter(({ flags }) => flags.join() === current.flags.join());
		selection.clear();
		selection.set(
			alike.map(({ id }) => id),
			true,
		);
	};
	const decideCurrent = (decision: Decision) => {
		if (current?.state !== "open") return;
		const at = rows.findIndex(({ id }) => id === current.id);
		const next = rows.slice(at + 1).find(({ state }) => state === "open");
		setCurrent(next?.id ?? "");
		note({ ...current, state: decision === "keep" ? "kept" : "ended" });
		decide(current, decision).then(
			(item) => note(item),
			(error: unknown) => {
				setDecided((before) => new Map([...before].filter(([id]) => id !== current.id)));
				list.reload();
				announce(error instanceof ApiError ? error.message : t.failed, "warning");
			},
		);
	};
	const decidesOne = () => isUsable() && selection.keys.size === 0;
	useShortcuts([
		{ key: "j", does: t.keys.next, run: () => move(1) },
		{ key: "J", does: t.keys.previous, run: () => move(-1) },
		{ key: "k", does: t.keys.keep, run: () => decideCurrent("keep"), isUsable: decidesOne },
		{ key: "e", does: t.keys.end, run: () => decideCurrent("end"), isUsable: decidesOne },
		{ key: "a", does: t.keys.alike, run: selectLike, isUsable },
	]);
	const bulk = (decision: Decision) => ({
		key: decision,
		shortcut: { key: KEYS[decision], does: t.keys[`${decision}Many`] },
		label: t[decision],
		title: decision === "keep" ? t.keepMany : t.endMany,
		...(decision === "end" && { text: t.endText, tone: "danger" as const }),
		appliesTo: ({ state }: Item) => state === "open",
		run: async (item: Item) => {
			many.current.push(await decide(item, decision));
		},
	});
	return (
		<List
			title={review.name}
			description={t.summary(t.subjects[review.subject], t.unansweredChoices[review.unanswered])}
			actions={
				isReader() && (
					<>
						<ExportFile list="review" route="GET /reviews/{id}/export" path={{ id: review.id }} />
						{isAdmin() && isOpen && (
							<Button icon={check} onClick={close}>
								{t.close}
							</Button>
						)}
					</>
				)
			}
			before={
				<div class="lk-review__progress">
					<progress value={done} max={Math.max(1, review.total)} aria-label={t.progress} />
					<span>{t.decided(done, review.total)}</span>
					<span class="lk-muted">
						{t.due}: <Time at={review.due_at} format="date" />
					</span>
					{!isOpen && <Badge tone="plain">{t.statuses[review.status]}</Badge>}
				</div>
			}
			search={t.search}
			filters={[
				{ name: "state", label: t.state, options: { ...labels(STATES, t.states), "": t.states.all } },
				{ name: "flag", label: t.flag, any: t.flags.all, options: labels(FLAGS, t.flags) },
			]}
			list={{ ...list, data: list.data && { ...list.data, data: rows } }}
			state={state}
			noMatch={{ title: t.noMatch }}
			none={{ icon: shield, title: isQueue ? t.allDecided : t.noItems }}
			rowsOf={(shown) => (
				<>
					{undecided.length > 0 && <SelectAll keys={undecided} selection={selection} />}
					<ul class="lk-review__items">
						{shown.map((item) => (
							<li
								key={item.id}
								id={`item-${item.id}`}
								aria-current={item.id === current?.id ? "true" : undefined}
							>
								{open.includes(item) && <RowBox rowKey={item.id} name={nameOf(item)} selection={selection} />}
								<ItemText item={item} />
							</li>
						))}
					</ul>
				</>
			)}
		>
			{isUsable() && (
				<BulkBar
					rows={rows}
					nameOf={nameOf}
					selection={selection}
					actions={[bulk("keep"), bulk("end")]}
					onDone={() => {
						note(...many.current.splice(0));
						reloadAll();
					}}
				/>
			)}
		</List>
	);
}

function ItemText({ item }: { readonly item: Item }) {
	const t = useWords("console-reviews");
	const { flags, roles, permissions, scopes, sources, current } = item;
	const groups = [...new Set(sources.flatMap(({ kind, name }) => (kind === "group" ? [name] : [])))];
	const others = [...new Set(sources.flatMap(({ other_apps }) => other_apps))];
	return (
		<div class="lk-review__item">
			<span class="lk-row">
				<b>
					<bdi>{item.subject_name || t.deleted}</bdi>
				</b>
				{item.app_name !== "" && <bdi>{item.app_name}</bdi>}
				{flags.map((flag) => (
					<Badge key={flag} tone={flag === "reviewer_is_subject" ? "neutral" : "warning"}>
						{t.flags[flag]}
					</Badge>
				))}
				{item.changed && <Badge tone="info">{t.changed}</Badge>}
				{item.state !== "open" && <Badge tone="plain">{t.states[item.state]}</Badge>}
				{item.partner_answer !== null && (
					<Badge tone={item.partner_answer === "needed" ? "info" : "warning"}>
						{t.answers[item.partner_answer]}
					</Badge>
				)}
			</span>
			<span>
				<bdi>{[...roles, ...scopes].join(", ") || t.noRoles}</bdi>
				{groups.length > 0 && (
					<>
						{" "}
						<bdi>{t.byGroups(groups.join(", "))}</bdi>
					</>
				)}
			</span>
			{others.length > 0 && (
				<span>
					{t.alsoEnds}: <bdi>{others.join(", ")}</bdi>
				</span>
			)}
			{current !== null && (
				<span>
					{t.now}: <bdi>{[...current.roles, ...current.scopes].join(", ") || t.nothing}</bdi>
				</span>
			)}
			{permissions.length > 0 && (
				<span class="lk-muted">
					<bdi translate={false}>{permissions.join(", ")}</bdi>
				</span>
			)}
			{item.partner_reason !== "" && <bdi>{item.partner_reason}</bdi>}
			{item.failure !== "" && <Badge tone="danger">{t.notEnded}</Badge>}
			<span class="lk-muted">
				{t.lastUsed}: <Time at={item.last_used_at} none={t.never} /> · {t.since}:{" "}
				<Time at={item.created_at} format="date" />
				{item.decided_by_name !== null && (
					<>
						{" "}
						· {t.decidedBy}: <bdi>{item.decided_by_name}</bdi>
					</>
				)}
			</span>
		</div>
	);
}
