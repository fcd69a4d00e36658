// Reads TXT records of a name from the name servers of the system's configuration.

import { Resolver } from "node:dns/promises";

/** Of the whole query, including retries and a repetition over TCP. */
const TIMEOUT_MS = 5_000;
/** Responses that say that there is no such record, rather than nothing. */
const ABSENT = ["ENOTFOUND", "ENODATA"];

/** @param servers name servers to query instead, `address:port` */
export function createTxtReader(servers?: readonly string[]) {
	return async (
		name: string,
	): Promise<{ readonly records: readonly string[] | undefined; readonly response: string }> => {
		const resolver = new Resolver({ timeout: 1_500, tries: 2 });
		if (servers !== undefined) resolver.setServers(servers);
		const timer = setTimeout(() => resolver.cancel(), TIMEOUT_MS);
		try {
			const records = await resolver.resolveTxt(name);
			// A record of more than 255 bytes has several parts.
			return { records: records.map((parts) => parts.join("")), response: "NOERROR" };
		} catch (error) {
			const response = (error as NodeJS.ErrnoException).code ?? "";
			if (response === "") throw error;
			return { records: ABSENT.includes(response) ? [] : undefined, response };
		} finally {
			clearTimeout(timer);
		}
	};
}
