// Searches of an embedded database, in a separate thread: they read all rows and would delay every other request.

import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/error.ts";
import type { SqlValue, Statement } from "../sql/queries.ts";
import type { Faults } from "./sqlite-fault.ts";
import type { Outcome, Question } from "./sqlite-search-thread.ts";

/** Further searches are refused: each may take a second, and only one runs at a time. */
const MOST_WAITING = 100;
/** The compiled file in a package, or the source. */
const THREAD = new URL(`./sqlite-search-thread${import.meta.url.slice(-3)}`, import.meta.url);

interface Waiting {
	resolve(rows: unknown[]): void;
	reject(error: unknown): void;
}

/** Starts its thread with the first search. The thread reads committed data and does not keep the process alive. */
export class Searches {
	readonly #file: string;
	readonly #faults: Faults;
	readonly #waiting = new Map<number, Waiting>();
	#worker: Worker | undefined;
	#lastId = 0;

	constructor(file: string, faults: Faults) {
		this.#file = file;
		this.#faults = faults;
	}

	/** @throws AppError `service.unavailable` when too many searches wait. */
	all<Row>(sql: Statement, parameters: readonly SqlValue[]): Promise<Row[]> {
		if (this.#waiting.size >= MOST_WAITING)
			return Promise.reject(unavailable("too many searches at once, try again shortly"));
		this.#worker ??= this.#start();
		const worker = this.#worker;
		const id = ++this.#lastId;
		return new Promise<Row[]>((resolve, reject) => {
			this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
			worker.ref();
			worker.postMessage({ id, sql, parameters } satisfies Question);
		});
	}

	/** Aborts running searches, whose callers are gone. */
	async close(): Promise<void> {
		await this.#worker?.terminate();
	}

	#start(): Worker {
		const worker = new Worker(THREAD, { workerData: this.#file });
		worker.on("message", (response: Outcome) => this.#settle(response));
		worker.on("error", (error) => this.#end(error));
		worker.on("exit", () => this.#end(unavailable("the search was interrupted, try again")));
		worker.unref();
		return worker;
	}

	#settle(response: Outcome): void {
		const waiting = this.#waiting.get(response.id);
		this.#waiting.delete(response.id);
		if (this.#waiting.size === 0) this.#worker?.unref();
		if ("rows" in response) waiting?.resolve(response.rows);
		else {
			const { message, errcode } = response;
			waiting?.reject(this.#faults.translate(Object.assign(new Error(message), { errcode })));
		}
	}

	/** The next search starts a new thread. */
	#end(error: unknown): void {
		this.#worker = undefined;
		for (const { reject } of this.#waiting.values()) reject(error);
		this.#waiting.clear();
	}
}

function unavailable(message: string): AppError {
	return new AppError("service.unavailable", message, { retryAfterSeconds: 1 });
}
