// Single rows asked for in one turn of the event loop travel to PostgreSQL together: one write and one read of a socket for several.

import type { SqlValue } from "./engine.ts";
import type { Answer, Ask, PostgresConnection } from "./postgres-connection.ts";

/** Few enough that nobody waits long behind the others, and that other connections have work too. */
const TOGETHER_MAX = 8;

interface Waiting extends Ask {
	resolve(row: unknown): void;
	reject(error: unknown): void;
}

/** Gathers what is asked while the requests that have arrived are read, and asks it when all of them are. */
export class PostgresReads {
	readonly #withConnection: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;
	#waiting: Waiting[] = [];

	constructor(withConnection: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>) {
		this.#withConnection = withConnection;
	}

	/** @throws what the connection throws; each of those asked together fails or succeeds by itself. */
	one<Row>(sql: string, parameters: readonly SqlValue[]): Promise<Row | undefined> {
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
			const answers = await this.#withConnection((connection) => connection.oneOfEach(chunk));
			for (const [index, { resolve, reject }] of chunk.entries()) {
				const answer = answers[index] as Answer;
				if (answer.status === "fulfilled") resolve(answer.value);
				else reject(answer.reason);
			}
		} catch (error) {
			for (const { reject } of chunk) reject(error);
		}
	}
}
