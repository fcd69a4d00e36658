// The rules that apply to a request, by what it addresses.

import type { Guard } from "../describe/guard.ts";
import type { SessionUse } from "./browser-session.ts";
import type { RouteLimiter } from "./rate-limit.ts";
import type { Transport } from "./transport.ts";

/** The rules that apply at one method and path. */
export interface ResourceRules {
	/** The path with its parameters as `{id}`; `none` for an unknown path. */
	readonly template: string;
	/** Undefined: the transport of the folder. */
	readonly transport?: Transport;
	/** The supported methods of a fixed path, set on resources for its unsupported ones (`shadowedPaths`). */
	readonly allowed?: readonly string[];
	/** The caller may choose the request id. */
	readonly callerNamesRequest?: boolean;
	/** Static files do not count against the rate limit. */
	readonly isUncounted?: boolean;
	/** Trusted proxies call this route to check the health of the service. */
	readonly isProbe?: boolean;
	/** The route's own limit. */
	readonly limiter?: RouteLimiter | undefined;
	/** Counts by IP address until the request is counted by its OAuth client: `countByClient`. */
	readonly countedLater?: boolean;
	readonly session?: SessionUse | undefined;
	readonly guard?: Guard<unknown, unknown>;
	/** Clients that accept HTML receive errors as a page. */
	readonly browser?: boolean;
	/** In bytes, if a body may have more than others. */
	readonly bodyLimit?: number | undefined;
	/** Errors have the form of RFC 6749, section 5.2. */
	readonly oauth?: boolean;
}

/** What a request addresses, with its path parameters and query, decoded. */
export interface Addressed {
	readonly resource: ResourceRules;
	readonly params: Readonly<Record<string, string | undefined>>;
	/** An array where a name is repeated. */
	readonly query: Readonly<Record<string, string | readonly string[]>>;
}
