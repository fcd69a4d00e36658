// Applies rate limits to a request: the service's limit before the guard, the route's limit after it, and the other
// limits once their key is known.

import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";
import { type AppError, tooMany } from "../kernel/error.ts";
import { rateLimitKey } from "../kernel/ip.ts";
import type { Endpoint } from "./endpoint.ts";
import type { RateLimiter, RateLimits, RateVerdict, RouteLimiter, RouteVerdict } from "./rate-limit.ts";
import type { RequestMeter } from "./request-log.ts";

declare module "fastify" {
	interface FastifyRequest {
		/** Set until the guard has decided, on routes that have their own limit. */
		routeVerdict: RouteVerdict | undefined;
		/** Set until the request is counted by key, on a route with `countedLater`. */
		provisional: RouteVerdict | undefined;
	}
	interface FastifyContextConfig {
		/** Static files do not count against the rate limit. */
		uncounted?: boolean;
		/** Trusted proxies call this route to check the health of the service. */
		probe?: boolean;
		/** The route's own limit. */
		limiter?: RouteLimiter | undefined;
		/** Counts by IP address until the request is counted by another key: `countRelayed`, `countByClient`. */
		countedLater?: boolean;
	}
}

export interface LimitOptions {
	readonly rateLimits: RateLimits;
	readonly meter: RequestMeter | undefined;
}

export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

const UNKNOWN_COUNT = { caller: "", key: "" };

/**
 * Counts the request against every limit that applies, in one step, and then calls `next`. Does not count static files
 * or a trusted proxy's own probes, which would use up the limit of the proxy's IP address.
 */
export function limitRequest(
	request: FastifyRequest,
	{ limiter, countedLater, uncounted, probe }: FastifyContextConfig,
	options: LimitOptions,
	next: (error?: Error) => void,
): void {
	const { incoming } = request;
	const isOwnProbe =
		probe === true && incoming.proxied && incoming.headerValues("x-forwarded-for").length === 0;
	if (uncounted === true || isOwnProbe) {
		next();
		return;
	}
	const { service, provisional } = options.rateLimits;
	const key = rateLimitKey(incoming.ip);
	const routeLimiter = countedLater === true ? provisional : limiter;
	if (routeLimiter !== undefined) {
		const decide = (verdict: RouteVerdict): void => {
			const error = refusal("service", verdict.service, options);
			if (error === undefined) request[countedLater === true ? "provisional" : "routeVerdict"] = verdict;
			next(error);
		};
		settle(routeLimiter.take(key), decide, next);
	} else if (service !== undefined)
		settle(service.take(key), (verdict) => next(refusal("service", verdict, options)), next);
	else next();
}

/** Counts a request that the guard has admitted against the route's own limit. */
export function countAdmitted(options: LimitOptions): Hook {
	return (request, _reply, done) => {
		const verdict = request.routeVerdict?.admitted();
		request.routeVerdict = undefined;
		done(refusal("route", verdict, options));
	};
}

/** Counts a relayed request by caller, and then by key: the limit of the caller bounds how many keys it can create. */
export function countRelayed(endpoint: Endpoint, options: LimitOptions): Hook {
	const { relayed, service } = options.rateLimits;
	return (request, _reply, done) => {
		const { caller, key } =
			endpoint.countedAs?.({ caller: request.caller, body: request.body }) ?? UNKNOWN_COUNT;
		request.provisional?.giveBack();
		const take = (limiter: RateLimiter | undefined, by: string, next: () => void): void => {
			const decide = (verdict: RateVerdict | undefined): void => {
				const error = refusal("service", verdict, options);
				if (error === undefined) next();
				else done(error);
			};
			settle(limiter?.take(by), decide, done);
		};
		take(relayed, caller, () => take(service, key, done));
	};
}

/**
 * Counts a request by its authenticated OAuth client instead of its IP address.
 *
 * @throws AppError `request.too_many`
 */
export async function countByClient(
	request: FastifyRequest,
	clientId: string,
	options: LimitOptions,
): Promise<void> {
	request.provisional?.giveBack();
	request.provisional = undefined;
	const error = refusal("service", await options.rateLimits.clients?.take(clientId), options);
	if (error !== undefined) throw error;
}

function refusal(
	scope: "service" | "route",
	verdict: RateVerdict | undefined,
	{ meter }: LimitOptions,
): AppError | undefined {
	if (verdict === undefined || verdict.allowed) return undefined;
	meter?.refuse(scope);
	const { limit, resetSeconds: seconds } = verdict;
	return tooMany("request.too_many", `too many requests: at most ${limit} a minute`, { limit, seconds });
}

/** Continues synchronously unless `value` is a promise, to spare the hot path a microtask. */
export function settle<T>(
	value: T | Promise<T>,
	next: (value: T) => void,
	fail: (error: Error) => void,
): void {
	if (value instanceof Promise) value.then(next).catch(fail);
	else next(value);
}
