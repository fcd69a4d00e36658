// Pages and files at their paths: public, without a guard, and only for GET and HEAD.

import type { HttpExchange } from "../run/http-exchange.ts";
import type { Router } from "../run/router.ts";

export interface Page {
	/** `{id}` is one segment. */
	readonly path: string;
	/** Requests count against the rate limit of the service. */
	readonly isCounted?: true;
	/** GET may return 404, so other methods do, too. */
	readonly mayBeAbsent?: true;
	respond(exchange: HttpExchange): void | Promise<void>;
}

export function addPages(router: Router, pages: readonly Page[]): void {
	for (const { path, isCounted = false, respond } of pages)
		router.add("GET", path, { template: path, transport: "any", isUncounted: !isCounted, respond });
}
