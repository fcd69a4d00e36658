// One request to the library: what the library's hooks need to know of it beyond its own context.

import { AsyncLocalStorage } from "node:async_hooks";
import type { GrantReuse, ProviderRequest } from "../../domain/openid-provider.ts";
import type { Session } from "../../domain/session.ts";

export interface Exchange {
	readonly request: Pick<ProviderRequest, "session" | "origin" | "countClient">;
	/** A used code or token that came back too late: its grant is about to end. */
	reused: GrantReuse | undefined;
	/** The refresh token that this request exchanges for its successor. */
	rotated: string | undefined;
	refusal: { readonly error: string; readonly description: string } | undefined;
	/** The client assertion that was verified and is to be remembered next. */
	assertion: { readonly issuedAtSeconds: number } | undefined;
	/** Whether the request counts by client. */
	isCounted: boolean;
	/** Why we refused, where the library has no word for it: thrown instead of its answer. */
	refusedWith: unknown;
}

const current = new AsyncLocalStorage<Exchange>();

export function withinExchange<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
	return current.run(exchange, work);
}

/** @throws Error outside of a request. */
export function theExchange(): Exchange {
	const exchange = current.getStore();
	if (exchange === undefined) throw new Error("the OpenID provider was used outside of a request");
	return exchange;
}

export function browserSession(): Session | undefined {
	return current.getStore()?.request.session;
}
