// The list of requests and the open one. Decisions on this page appear immediately, without reloading the list.

import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { ResponseOf, Schemas } from "../../api/routes.ts";

export type AccessRequest = Schemas["ReviewedAccessRequest"];

export const REQUESTS_PATH = "/console/requests";
/** A list hidden for longer than this is reloaded when shown. */
const STALE_MS = 60_000;
/** The width from which the styles show the list next to the request. */
const IS_WIDE = "(min-width: 64rem)";

export interface RequestsOnScreen {
	readonly state: ListState;
	readonly list: Query<ResponseOf<"GET /access-requests">>;
	/** Undefined until they are loaded. */
	readonly rows: readonly AccessRequest[] | undefined;
	readonly total: number;
	readonly open: AccessRequest | undefined;
	/** Error of the open request, if it is not in the list. */
	readonly loading: Query<AccessRequest>;
	show(id: string | undefined, how?: "replace"): void;
	/** Opens the next or the previous row. */
	move(by: 1 | -1): void;
	/** Called after a decision here or elsewhere; `next` opens the next waiting request. */
	update(request: AccessRequest, next?: "next"): void;
}

export interface RequestProps {
	readonly request: AccessRequest;
	readonly requests: RequestsOnScreen;
}

export function useRequests(openId: string | undefined): RequestsOnScreen {
	const [, navigate] = useLocation();
	const state = useListState({ filters: ["q", "status"], defaults: { status: "pending" } });
	const isQueue = state.settled.status === "pending";
	const list = usePage("GET /access-requests", state, { query: { sort: isQueue ? "oldest" : "newest" } });
	useFreshness(list.reload);
	const [changed, setChanged] = useState<ReadonlyMap<string, AccessRequest>>(new Map());
	const newest = (row: AccessRequest): AccessRequest => {
		const own = changed.get(row.id);
		return own !== undefined && own.updated_at >= row.updated_at ? own : row;
	};
	const all = list.data?.data.map(newest);
	const gone = all?.filter(({ id, status }) => isQueue && status !== "pending" && id !== openId) ?? [];
	const rows = all?.filter((row) => !gone.includes(row));
	const listed =
		openId === undefined ? undefined : (all?.find(({ id }) => id === openId) ?? changed.get(openId));
	const isElsewhere = openId !== undefined && list.data !== undefined && listed === undefined;
	const loading = useQuery(isElsewhere ? `request ${openId}` : undefined, async (signal) => {
		const response = await call("GET /access-requests/{id}", { path: { id: openId ?? "" }, signal });
		return response.data;
	});
	const show = (id: string | undefined, how?: "replace"): void =>
		navigate(`${REQUESTS_PATH}${id === undefined ? "" : `/${id}`}${location.search}`, {
			replace: how === "replace",
		});

	const firstId = rows?.[0]?.id;
	useEffect(() => {
		if (openId === undefined && firstId !== undefined && matchMedia(IS_WIDE).matches)
			show(firstId, "replace");
	}, [openId, firstId]);

	const move = (by: 1 | -1): void => {
		const at = rows?.findIndex(({ id }) => id === openId) ?? -1;
		const to = at < 0 ? rows?.[0] : rows?.[at + by];
		if (to !== undefined) show(to.id, "replace");
	};
	const update = (request: AccessRequest, next?: "next"): void => {
		setChanged((before) => new Map([...before, [request.id, request]]));
		if (next === undefined) return;
		const at = rows?.findIndex(({ id }) => id === request.id) ?? -1;
		const waiting = (row: AccessRequest) => row.status === "pending" && row.id !== request.id;
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
		total: Math.max(0, (list.data?.total ?? 0) - gone.length),
		open: listed ?? (loading.data?.id === openId ? loading.data : undefined),
		loading,
		show,
		move,
		update,
	};
}

/** Reloads the list when its tab becomes visible after a while. */
function useFreshness(reload: () => void): void {
	useEffect(() => {
		let loadedAt = Date.now();
		const look = (): void => {
			if (document.visibilityState !== "visible" || Date.now() - loadedAt < STALE_MS) return;
			loadedAt = Date.now();
			reload();
		};
		document.addEventListener("visibilitychange", look);
		return () => document.removeEventListener("visibilitychange", look);
	}, [reload]);
}

const TONES = { pending: "warning", approved: "success", rejected: "danger", withdrawn: "neutral" } as const;

/** The color of a request's status. */
export function statusTone(status: AccessRequest["status"]): (typeof TONES)[AccessRequest["status"]] {
	return TONES[status];
}
