// The access requests that wait for a decision: one query for the navigation and the overview.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Query, useQuery, useRenewal } from "../api/query.ts";
import type { ResponseOf } from "../api/routes.ts";

type Waiting = Query<ResponseOf<"GET /access-requests">>;

/** Rows that the overview shows. */
const SHOWN = 5;

/** Provided by the frame of the console. */
export const WaitingRequests = createContext<Waiting | undefined>(undefined);

export function useWaitingRequests(): Waiting {
	const waiting = useContext(WaitingRequests);
	if (waiting === undefined) throw new Error("the screen is not in the frame of the console");
	return waiting;
}

/** Called once, by the frame; loads nothing for users who may not see requests. */
export function useWaitingQuery(isAllowed: boolean): Waiting {
	const query = { status: "pending", sort: "oldest", page_size: SHOWN } as const;
	const waiting = useQuery(isAllowed ? "GET /access-requests waiting" : undefined, (signal) =>
		call("GET /access-requests", { query, signal }),
	);
	useRenewal(waiting);
	return waiting;
}
