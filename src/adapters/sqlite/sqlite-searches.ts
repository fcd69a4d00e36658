// Searches of an embedded database, in a separate thread: they read all rows and would delay every other request.

import { Worker } from "node:worker_threads";
import { AppError } from "../../kernel/error.ts";
import type { SqlValue, Statement } from "../sql/queries.ts";
import { SearchQueue, tenantOf } from "./search-queue.ts";
import type { Faults } from "./sqlite-fault.ts";
import type { Outcome, Question } from "./sqlite-search-thread.ts";

/** Further searches are refused: each may take a second, and only one runs at a time. */
const MOST_WAITING = 100;
/** The compiled file in a package, or the source. */
const THREAD = new URL(`./sqlite-search-thread${import.meta.url.slice(-3)}`, import.meta.url);

interface Search {
	readonly question: Question;
	resolve(rows: unknown[]): void;
	reject(error: unknown): void;
}

/** Starts its thread with the first search. The thread reads committed data and does not keep the process alive. */
export class Searches {
	readonly #file: string;
	readonly #faults: Faults;
	readonly #waiting = new SearchQueue<Search>(MOST_WAITING);
	#running: Search | undefined;
	#worker: Worker | undefined;

	constructor(file: string, faults: Faults) {
		this.#file = file;
		this.#faults = faults;
	}

	/** @throws AppError `service.unavailable` when too many searches wait. */
	all<Row>(sql: Statement, parameters: readonly SqlValue[]): Promise<Row[]> {
		return new Promise<Row[]>((resolve, reject) => {
			const search = { question: { sql, parameters }, resolve: resolve as Search["resolve"], reject };
			this.#waiting
				.add(tenantOf(sql, parameters), search)
				?.reject(unavailable("too many searches at once, try again shortly"));
			if (this.#running === undefined) this.#runNext();
		});
	}

	/** Rejects all searches, whose callers are gone. Waits for the running statement, which nothing can interrupt. */
	async close(): Promise<void> {
		await this.#worker?.terminate();
	}

	#runNext(): void {
		this.#running = this.#waiting.take();
		if (this.#running === undefined) {
			this.#worker?.unref();
			return;
		}
		this.#worker ??= this.#start();
		this.#worker.ref();
		this.#worker.postMessage(this.#running.question);
	}

	#start(): Worker {
		const worker = new Worker(THREAD, { workerData: this.#file });
		worker.on("message", (outcome: Outcome) => this.#settle(outcome));
		worker.on("error", (error) => this.#end(error));
		worker.on("exit", () => this.#end(unavailable("the search was interrupted, try again")));
		worker.unref();
		return worker;
	}

	#settle(outcome: Outcome): void {
		const search = this.#running;
		this.#runNext();
		if ("rows" in outcome) search?.resolve(outcome.rows);
		else {
			const { message, errcode } = outcome;
			search?.reject(this.#faults.translate(Object.assign(new Error(message), { errcode })));
		}
	}

	/** The next search starts a new thread. */
	#end(error: unknown): void {
		this.#worker = undefined;
		for (let search = this.#running; search !== undefined; search = this.#waiting.take())
			search.reject(error);
		this.#running = undefined;
	}
}

function unavailable(message: string): AppError {
	return new AppError("service.unavailable", message, { retryAfterSeconds: 1 });
}
