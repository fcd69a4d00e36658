// The queue of requests and the open one. Decisions on this page appear immediately, without reloading the list.

import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { ResponseOf, Schemas } from "../../api/routes.ts";
import type { AccessRequest, PersonRequest, QueuedRequest } from "./request-texts.tsx";

type RequestPage = ResponseOf<"GET /requests">;

export const REQUESTS_PATH = "/console/requests";

interface Keys {
	readonly public_keys: readonly Schemas["PartnerKey"][];
}

/** As lists have it; requests of programs and partners have more. */
export async function loadRequest(
	id: string,
	signal?: AbortSignal,
): Promise<Schemas["ProgramRequest"] | (AccessRequest & Keys) | PersonRequest> {
	return (await call("GET /requests/{id}", { path: { id }, ...(signal && { signal }) })).data;
}

/** The width from which the styles show the list next to the request. */
const IS_WIDE = "(min-width: 64rem)";

export interface RequestsOnScreen {
	readonly state: ListState;
	readonly list: Query<RequestPage>;
	/** Undefined until they are loaded. */
	readonly rows: readonly QueuedRequest[] | undefined;
	readonly total: number;
	/** Requests that arrived while the queue is open. */
	readonly newCount: number;
	/** Opens the page with the newest requests. */
	showNew(): void;
	readonly open: QueuedRequest | undefined;
	/** Error of the open request, if it is not in the list. */
	readonly loading: Query<QueuedRequest>;
	show(id: string | undefined, how?: "replace"): void;
	/** Opens the next or the previous row, on the next or the previous page if necessary. */
	move(by: 1 | -1): void;
	/** Called after a decision here or elsewhere; `next` opens the next waiting request. */
	update(request: QueuedRequest, next?: "next"): void;
	/** Called after several were decided and updated: opens the first that waits. */
	afterMany(decided: readonly QueuedRequest[]): void;
}

export interface RequestProps<Row extends QueuedRequest = QueuedRequest> {
	readonly request: Row;
	readonly requests: RequestsOnScreen;
}

export function useRequests(openId: string | undefined): RequestsOnScreen {
	const [, navigate] = useLocation();
	const state = useListState({ filters: ["q", "kind", "status"], defaults: { status: "pending" } });
	const isQueue = state.settled.status === "pending";
	const list = usePage("GET /requests", state, { query: { sort: isQueue ? "oldest" : "newest" } });
	const [changed, setChanged] = useState<ReadonlyMap<string, QueuedRequest>>(new Map());
	const newest = (row: QueuedRequest): QueuedRequest => {
		const own = changed.get(row.id);
		return own !== undefined && own.updated_at >= row.updated_at ? own : row;
	};
	const all = list.data?.data.map(newest);
	const gone = all?.filter(({ id, status }) => isQueue && status !== "pending" && id !== openId) ?? [];
	const rows = all?.filter((row) => !gone.includes(row));
	const listed =
		openId === undefined ? undefined : (all?.find(({ id }) => id === openId) ?? changed.get(openId));
	const isElsewhere = openId !== undefined && list.data !== undefined && listed === undefined;
	const loading = useQuery(isElsewhere ? `request ${openId}` : undefined, (signal) =>
		loadRequest(openId ?? "", signal),
	);
	const total = list.data === undefined ? undefined : Math.max(0, list.data.total - gone.length);
	const arrived = useNewCount(JSON.stringify(state.settled), isQueue ? total : undefined);
	const show = (id: string | undefined, how?: "replace"): void =>
		navigate(`${REQUESTS_PATH}${id === undefined ? "" : `/${id}`}${location.search}`, {
			replace: how === "replace",
		});

	const firstId = rows?.[0]?.id;
	useEffect(() => {
		if (openId === undefined && firstId !== undefined && matchMedia(IS_WIDE).matches)
			show(firstId, "replace");
	}, [openId, firstId]);

	/** The page that `move` turned to; its first or last row opens when it is loaded. */
	const turning = useRef<{ readonly page: number; readonly row: 0 | -1 }>();
	useEffect(() => {
		const { data: loaded, page } = list.data ?? {};
		if (turning.current === undefined || page !== turning.current.page) return;
		const row = loaded?.at(turning.current.row);
		turning.current = undefined;
		if (row !== undefined) show(row.id, "replace");
	}, [list.data]);
	const move = (by: 1 | -1): void => {
		const at = rows?.findIndex(({ id }) => id === openId) ?? -1;
		const to = at < 0 ? rows?.[0] : rows?.[at + by];
		if (to !== undefined) {
			show(to.id, "replace");
			return;
		}
		const { page = 1, page_size: size = 1, total = 0 } = list.data ?? {};
		const next = page + by;
		if (next < 1 || (next - 1) * size >= total) return;
		turning.current = { page: next, row: by === 1 ? 0 : -1 };
		state.setPage(next);
	};
	const update = (request: QueuedRequest, next?: "next"): void => {
		setChanged((before) => new Map([...before, [request.id, request]]));
		if (next === undefined) return;
		const at = rows?.findIndex(({ id }) => id === request.id) ?? -1;
		const waiting = (row: QueuedRequest) => row.status === "pending" && row.id !== request.id;
		const to = rows?.slice(at + 1).find(waiting) ?? rows?.findLast(waiting);
		if (to === undefined) {
			state.setPage(1);
			list.reload();
		}
		show(to?.id, "replace");
	};
	return {
		state,
		list,
		rows,
		total: total ?? 0,
		newCount: arrived.count,
		showNew() {
			arrived.accept();
			state.setPage(Math.ceil((total ?? 1) / (list.data?.page_size ?? 1)));
		},
		open: listed ?? (loading.data?.id === openId ? loading.data : undefined),
		loading,
		show,
		move,
		update,
		afterMany(decided) {
			const ids = decided.map(({ id }) => id);
			if (rows?.every(({ id }) => ids.includes(id))) state.setPage(1);
			list.reload();
			if (openId !== undefined && ids.includes(openId)) show(undefined, "replace");
		},
	};
}

/** How many more requests wait than when the queue was last viewed. */
function useNewCount(filters: string, total: number | undefined): { count: number; accept: () => void } {
	const [seen, setSeen] = useState<{ readonly filters: string; readonly total: number }>();
	const before = seen?.filters === filters ? seen.total : undefined;
	useEffect(() => {
		// Decided requests leave the queue, so only an increase of the total is new.
		if (total !== undefined && (before === undefined || total < before)) setSeen({ filters, total });
	}, [filters, total, before]);
	return {
		count: Math.max(0, (total ?? 0) - (before ?? total ?? 0)),
		accept: () => setSeen({ filters, total: total ?? 0 }),
	};
}
