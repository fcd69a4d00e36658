// Searches of an embedded database, in a separate process: they read all rows and would delay every other request.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { AppError } from "../../kernel/error.ts";
import type { SqlValue, Statement } from "../sql/queries.ts";
import { startReader } from "./reader-process.ts";
import { SearchQueue, tenantOf } from "./search-queue.ts";
import type { Faults } from "./sqlite-fault.ts";
import type { Outcome, Question } from "./sqlite-search-process.ts";

/** Further searches are refused: each may take a second, and only one runs at a time. */
const MOST_WAITING = 100;

interface Search {
	readonly question: Question;
	resolve(rows: unknown[]): void;
	reject(error: unknown): void;
}

/** Starts its process with the first search, and keeps it. It reads committed data and does not keep the service alive. */
export class Searches {
	readonly #file: string;
	readonly #faults: Faults;
	readonly #waiting = new SearchQueue<Search>(MOST_WAITING);
	#running: Search | undefined;
	#process: ChildProcess | undefined;

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

	/** Rejects all searches, whose callers are gone, and interrupts the running one. */
	async close(): Promise<void> {
		const child = this.#process;
		if (child === undefined) return;
		const exited = once(child, "exit");
		child.ref();
		child.kill("SIGKILL");
		await exited;
	}

	#runNext(): void {
		this.#running = this.#waiting.take();
		if (this.#running === undefined) {
			this.#process?.channel?.unref();
			return;
		}
		this.#process ??= this.#start();
		this.#process.channel?.ref();
		// A process that is gone reports its exit.
		this.#process.send(this.#running.question, () => undefined);
	}

	#start(): ChildProcess {
		const child = startReader("sqlite-search-process", this.#file);
		child.on("message", (outcome: Outcome) => this.#settle(outcome));
		child.on("error", (error) => this.#end(child, error));
		child.on("exit", () => this.#end(child, unavailable("the search was interrupted, try again")));
		child.unref();
		return child;
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

	/** The next search starts a new process. */
	#end(child: ChildProcess, error: unknown): void {
		if (this.#process !== child) return;
		this.#process = undefined;
		for (let search = this.#running; search !== undefined; search = this.#waiting.take())
			search.reject(error);
		this.#running = undefined;
	}
}

function unavailable(message: string): AppError {
	return new AppError("service.unavailable", message, { retryAfterSeconds: 1 });
}
