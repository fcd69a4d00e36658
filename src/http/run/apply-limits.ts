// Applies rate limits to a request: the service's limit before the guard, the route's limit after it, and the other
// limits once their key is known.

import { tooMany } from "../../kernel/error.ts";
import { rateLimitKey } from "../../kernel/ip.ts";
import type { HttpExchange } from "./http-exchange.ts";
import type { RateLimits, RateVerdict } from "./rate-limit.ts";
import type { RequestMeter } from "./request-log.ts";

export interface LimitOptions {
	readonly rateLimits: RateLimits;
	readonly meter: RequestMeter | undefined;
}

/**
 * Counts the request against every limit that applies, in one step. Does not count static files or a trusted proxy's own
 * probes, which would use up the limit of the proxy's IP address.
 *
 * @throws AppError `request.too_many`
 */
export async function limitRequest(exchange: HttpExchange, options: LimitOptions): Promise<void> {
	const { incoming, resource } = exchange;
	const { limiter, countedLater = false, isUncounted = false, isProbe = false } = resource;
	const isOwnProbe = isProbe && incoming.proxied && incoming.headerValues("x-forwarded-for").length === 0;
	if (isUncounted || isOwnProbe) return;
	const { service, provisional } = options.rateLimits;
	const key = rateLimitKey(incoming.ip);
	const routeLimiter = countedLater ? provisional : limiter;
	if (routeLimiter === undefined) return requireAllowed("service", await service?.take(key), options);
	const verdict = await routeLimiter.take(key);
	requireAllowed("service", verdict.service, options);
	exchange[countedLater ? "provisional" : "routeVerdict"] = verdict;
}

/**
 * Asks the guard for the caller, and counts an admitted request against the route's own limit.
 *
 * @throws AppError of the guard, `request.too_many`
 */
export async function admit(
	exchange: HttpExchange,
	guardState: unknown,
	options: LimitOptions,
): Promise<void> {
	const { guard } = exchange.resource;
	exchange.caller = await guard?.admit(exchange.incoming, guardState);
	const verdict = exchange.routeVerdict?.admitted();
	exchange.routeVerdict = undefined;
	requireAllowed("route", verdict, options);
}

/**
 * Counts a request by its authenticated OAuth client or directory instead of its IP address.
 *
 * @throws AppError `request.too_many`
 */
export async function countByClient(
	exchange: HttpExchange,
	clientId: string,
	limit: "clients" | "directories",
	options: LimitOptions,
): Promise<void> {
	exchange.provisional?.giveBack();
	exchange.provisional = undefined;
	requireAllowed("service", await options.rateLimits[limit]?.take(clientId), options);
}

function requireAllowed(
	scope: "service" | "route",
	verdict: RateVerdict | undefined,
	{ meter }: LimitOptions,
): void {
	if (verdict === undefined || verdict.allowed) return;
	meter?.refuse(scope);
	const { limit, resetSeconds: seconds } = verdict;
	throw tooMany("request.too_many", `too many requests: at most ${limit} a minute`, { limit, seconds });
}
