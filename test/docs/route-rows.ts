// The rows of docs/api.md, derived from the map of routes.

import type { Route } from "../../src/http/describe/guard.ts";
import { errorCodesOf } from "../../src/http/openapi/openapi-errors.ts";
import { STATUS_OF_KIND } from "../../src/http/run/reply.ts";
import { ERROR_KINDS } from "../../src/kernel/error.ts";

/** Statuses of every route; the document names them once. */
export const EVERYWHERE: readonly number[] = [429, 500, 503];

/** The statuses that a route can return, from its guard, endpoint, and the toolkit; ascending. */
export function statusesOf(route: Route): number[] {
	const errors = errorCodesOf(route).map((code) => STATUS_OF_KIND[ERROR_KINDS[code]]);
	const { status, orEmpty, orCreated } = route.endpoint.response;
	const others = [...(orEmpty === undefined ? [] : [204]), ...(orCreated === undefined ? [] : [201])];
	return [...new Set([status, ...others, ...errors])].sort((a, b) => a - b);
}

/** The document also names 415 once, and 426 for all routes under `/api/`; signed routes list it because they always require HTTPS. */
const isDocumentedOnce = (status: number, { path, guard }: Route): boolean =>
	EVERYWHERE.includes(status) ||
	status === 415 ||
	(status === 426 && path.startsWith("/api/") && guard.security !== "signed");

/** The cells of the route's row. */
export function documentedRow(route: Route): string[] {
	return [
		`\`${route.method}\``,
		`\`${route.path}\``,
		route.endpoint.summary,
		route.guard.allows,
		statusesOf(route)
			.filter((status) => !isDocumentedOnce(status, route))
			.join(" "),
	];
}
