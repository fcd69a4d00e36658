// Sends the single-row reads of one turn of the event loop to PostgreSQL together: one socket write for several.

import type { Sql, SqlValue } from "../sql/queries.ts";
import type { Ask, Outcome, PostgresConnection } from "./postgres-connection.ts";

/** Small, so that no read waits long and other connections get work too. */
const TOGETHER_MAX = 8;

interface Waiting extends Ask {
	resolve(row: unknown): void;
	reject(error: unknown): void;
}

/** Queues reads during a turn of the event loop and sends them at its end. */
export class PostgresReads {
	readonly #withConnection: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;
	#waiting: Waiting[] = [];

	constructor(withConnection: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>) {
		this.#withConnection = withConnection;
	}

	/** @throws what the connection throws; reads sent together fail or succeed separately. */
	one<Row>(sql: Sql, parameters: readonly SqlValue[]): Promise<Row | undefined> {
		return new Promise((resolve, reject) => {
			if (this.#waiting.length === 0) setImmediate(() => this.#flush());
			this.#waiting.push({ sql, parameters, resolve: resolve as Waiting["resolve"], reject });
		});
	}

	#flush(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (let start = 0; start < waiting.length; start += TOGETHER_MAX)
			void this.#ask(waiting.slice(start, start + TOGETHER_MAX));
	}

	async #ask(chunk: readonly Waiting[]): Promise<void> {
		try {
			const responses = await this.#withConnection((connection) => connection.oneOfEach(chunk));
			for (const [index, { resolve, reject }] of chunk.entries()) {
				const response = responses[index] as Outcome;
				if (response.status === "fulfilled") resolve(response.value);
				else reject(response.reason);
			}
		} catch (error) {
			for (const { reject } of chunk) reject(error);
		}
	}
}
