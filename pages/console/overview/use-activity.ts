// Sign-ins and signed calls over a period, and the lists of what the numbers count.

import { useListState } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { isReader } from "../roles.ts";
import { DEFAULT_PERIOD, joined, type Period, periodBefore, periodOf } from "../statistics/period.ts";
import { type HrefOf, refusalsOf } from "../statistics/result-chart.tsx";
import { type ResultStep, refusedOf, sumOf } from "../statistics/result-steps.ts";

type Step = Schemas["StatisticsStep"];

export type Activity = NonNullable<ReturnType<typeof useActivity>>;

/** Undefined for users who may not see it. */
export function useActivity() {
	const state = useListState({ filters: ["range", "from", "to"], defaults: { range: DEFAULT_PERIOD } });
	const period = periodOf(state.settled);
	const earlier = periodBefore(period);
	const both = joined(earlier, period);
	const query = useStatistics(both ?? period);
	const other = useStatistics(both === undefined ? earlier : undefined);
	if (!isReader()) return undefined;
	const steps = query.data?.data.steps.filter(({ at }) => at >= period.from);
	const before = (both === undefined ? other : query).data?.data.steps.filter(({ at }) => at < earlier.to);
	const isLoading = (query.data ?? query.error) === undefined;
	const count = refusedOf(sumOf((steps ?? []).map(callsOf)));
	return { state, period, query, steps, before, refusedCalls: { isLoading, count } };
}

/** `undefined` loads nothing. */
function useStatistics(period: Period | undefined) {
	const { from = "", to = "", step = "hour" } = period ?? {};
	const isNeeded = period !== undefined && isReader();
	return useCall("GET /stats", isNeeded ? { query: { from, to, step } } : undefined);
}

export function signInsOf({ at, sign_ins, refused_sign_ins }: Step): ResultStep {
	return { at, ok: sign_ins, refused: refused_sign_ins };
}

export function callsOf({ at, signed_calls, refused_calls }: Step): ResultStep {
	return { at, ok: signed_calls, refused: refused_calls };
}

/** The lists of what the numbers count. */
export const signInList: HrefOf = ({ code, from, to }) => {
	const action = code === undefined ? "user.signed_in,user.sign_in_failed" : "user.sign_in_failed";
	return `/console/audit?${new URLSearchParams({ action, from, to })}`;
};
export const refusedCallList = refusalsOf({ subject: "api_client" });
