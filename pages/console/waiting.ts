// What waits for a decision or needs attention: two queries for the navigation and the overview.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Query, useQuery, useRenewal } from "../api/query.ts";
import type { ResponseOf } from "../api/routes.ts";
import { isReader } from "./roles.ts";

interface Waiting {
	readonly requests: Query<ResponseOf<"GET /access-requests">>;
	readonly counts: Query<ResponseOf<"GET /overview">>;
}

/** Rows that the overview shows. */
const SHOWN = 5;

/** Provided by the frame of the console. */
export const WaitingProvider = createContext<Waiting | undefined>(undefined);

export function useWaiting(): Waiting {
	const waiting = useContext(WaitingProvider);
	if (waiting === undefined) throw new Error("the screen is not in the frame of the console");
	return waiting;
}

/** Called once, by the frame; loads only what the user may see. */
export function useWaitingQueries(seesRequests: boolean): Waiting {
	const query = { status: "pending", sort: "oldest", page_size: SHOWN } as const;
	const requests = useQuery(seesRequests ? "GET /access-requests waiting" : undefined, (signal) =>
		call("GET /access-requests", { query, signal }),
	);
	const counts = useQuery(isReader() ? "GET /overview" : undefined, (signal) =>
		call("GET /overview", { signal }),
	);
	useRenewal(requests);
	useRenewal(counts);
	return { requests, counts };
}
