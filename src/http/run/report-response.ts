// Records how a request ended: for the metrics, the trace, the log, and the guard.

import type { Log } from "../../kernel/log.ts";
import type { Guard, Route } from "../describe/guard.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { count, logAbandoned, logRequest, type RequestMeter, shownPath } from "./request-log.ts";
import { closeSpan } from "./request-span.ts";
import { foldersOf } from "./request-target.ts";

interface ReportOptions {
	readonly routes: readonly Route[];
	readonly log: Log;
	readonly meter: RequestMeter | undefined;
}

/** Call the result once the response is closed. A client may have disconnected before the end of its response. */
export function createReport({ routes, log, meter }: ReportOptions): (exchange: HttpExchange) => void {
	const guardOf = createReporting(routes);
	return (exchange) => {
		if (!exchange.isComplete) {
			meter?.abandon();
			closeSpan(exchange, true);
			logAbandoned(log, exchange);
			return;
		}
		exchange.routeVerdict?.giveBack();
		count(meter, exchange);
		closeSpan(exchange);
		reportTo(guardOf(exchange), exchange, log);
	};
}

type Reporting = Pick<Guard<unknown>, "identify" | "onResponse">;

/** The guard of a route, or of the folder of an unknown path. */
function createReporting(routes: readonly Route[]): (exchange: HttpExchange) => Reporting | undefined {
	const reporting = routes.filter(({ guard }) => guard.onResponse !== undefined);
	const folders = foldersOf(routes, ({ guard }) => guard.onResponse !== undefined).map((folder) => ({
		folder,
		guard: reporting.find(({ path }) => path.startsWith(folder))?.guard,
	}));
	return ({ incoming, resource }) =>
		resource.guard ?? folders.find(({ folder }) => incoming.path.startsWith(folder))?.guard;
}

/**
 * Logs the response and reports it to the guard, which may identify the subject of a refused request first. It does not
 * above the rate limit, so that a flood costs no reads, nor while the database is unavailable.
 */
function reportTo(guard: Reporting | undefined, exchange: HttpExchange, log: Log): void {
	const { incoming, refusal: error } = exchange;
	const finish = (): void => {
		logRequest(log, exchange);
		guard?.onResponse?.(incoming, error && { error, path: shownPath(incoming.path) });
	};
	const isIdentified = error === undefined || error.kind === "rate_limited" || error.kind === "unavailable";
	if (isIdentified || guard?.identify === undefined) finish();
	// Without the client, the line is still written; the refused calls look it up again.
	else guard.identify(incoming).then(finish, finish);
}
