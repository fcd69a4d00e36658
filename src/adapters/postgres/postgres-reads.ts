// Sends the single-row reads of one event-loop turn to PostgreSQL together, in one socket write.

import type { Queries } from "../sql/queries.ts";
import type { Outcome, PostgresConnection, RowQuery } from "./postgres-connection.ts";

/** Small, so that no read waits long and other connections get work too. */
const TOGETHER_MAX = 8;

interface Waiting extends RowQuery {
	resolve(row: unknown): void;
	reject(error: unknown): void;
}

type WithConnection = <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;

/** Queues the reads of a turn and sends them at its end. Reads that are sent together fail or succeed separately. */
export function createReads(withConnection: WithConnection): Pick<Queries, "one"> {
	let waiting: Waiting[] = [];

	async function send(chunk: readonly Waiting[]): Promise<void> {
		try {
			const responses = await withConnection((connection) => connection.oneOfEach(chunk));
			for (const [index, { resolve, reject }] of chunk.entries()) {
				const response = responses[index] as Outcome;
				if (response.status === "fulfilled") resolve(response.value);
				else reject(response.reason);
			}
		} catch (error) {
			for (const { reject } of chunk) reject(error);
		}
	}

	function flush(): void {
		const queued = waiting;
		waiting = [];
		for (let start = 0; start < queued.length; start += TOGETHER_MAX)
			void send(queued.slice(start, start + TOGETHER_MAX));
	}

	return {
		one: (sql, ...parameters) =>
			new Promise((resolve, reject) => {
				if (waiting.length === 0) setImmediate(flush);
				waiting.push({ sql, parameters, resolve: resolve as Waiting["resolve"], reject });
			}),
	};
}
