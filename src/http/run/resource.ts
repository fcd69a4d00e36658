// The handler of one method and path.

import type { HttpExchange } from "./http-exchange.ts";
import type { ResourceRules } from "./resource-rules.ts";

export interface Resource extends ResourceRules {
	/** Parses and validates the body of the exchange from its raw bytes. */
	parseBody?(exchange: HttpExchange): void;
	/** Sends the response, or throws. */
	respond(exchange: HttpExchange): void | Promise<void>;
}

/** Every unknown path and unsupported method: `check-target.ts` refuses its requests. */
export const REFUSED: Resource = {
	template: "none",
	respond: () => {
		throw new Error("a request without a resource was not refused");
	},
};
