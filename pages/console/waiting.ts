// What waits for a decision or needs attention, counted: one query for the navigation, the queues, and the overview.

import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Query, useQuery, useRenewal } from "../api/query.ts";
import type { ResponseOf } from "../api/routes.ts";
import { session } from "../api/session.ts";
import { isMember } from "./roles.ts";

/** Checks of the installation that failed when the overview or their screen last read them. */
export const failedChecks = signal(0);

/** Null is what the user may not see. */
export type Counts = Query<ResponseOf<"GET /overview">>;

/** Provided by the frame of the console. */
export const CountsProvider = createContext<Counts | undefined>(undefined);

export function useCounts(): Counts {
	const counts = useContext(CountsProvider);
	if (counts === undefined) throw new Error("the screen is not in the frame of the console");
	return counts;
}

/** Called once, by the frame. The API admits users without a role who review requests as members of a group. */
export function useCountsQuery(): Counts {
	const counts = useQuery("GET /overview", async (signal) => {
		const loaded = await call("GET /overview", { signal });
		isMember.value = session.value.roles.length === 0;
		return loaded;
	});
	useRenewal(counts);
	return counts;
}
