// Counts requests of clients that have proved themselves, before the library does anything for them.

import { errors } from "oidc-provider";
import { theExchange } from "./exchange.ts";

/**
 * Call it as soon as a client is proved; a request counts once.
 *
 * @throws an error that ends the request; the answer is ours.
 */
export async function countClient(clientId: string): Promise<void> {
	const exchange = theExchange();
	if (exchange.isCounted) return;
	exchange.isCounted = true;
	try {
		await exchange.request.countClient(clientId);
	} catch (error) {
		exchange.refusedWith = error;
		throw new errors.TemporarilyUnavailable("the client sent too many requests");
	}
}
