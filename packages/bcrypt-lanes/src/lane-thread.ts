// A worker thread with bcrypt lanes, as the service uses it: started on first use, and abandoned when it fails.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { BCRYPT_KEY_MAX_BYTES, parseBcryptHash } from "./bcrypt-hash.ts";
import type { LaneResult } from "./bcrypt-lanes.ts";
import type { LaneRequest } from "./lanes-worker.ts";

/** It produces little garbage; this saves 6 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 2 };

interface Pending {
	resolve(isMatch: boolean): void;
	reject(error: Error): void;
}

/** Keeps the process alive only while hashes run. */
export class LaneThread {
	readonly #report: (error: Error) => void;
	readonly #pending = new Map<number, Pending>();
	#worker: Worker | undefined;
	#state: "unused" | "starting" | "ready" | "failed" = "unused";
	#lastId = 0;

	/** `report` is called once when the thread fails. */
	constructor(report: (error: Error) => void) {
		this.#report = report;
	}

	/** Whether it accepts hashes now. The first call starts it, which takes some tenths of a second. */
	isReady(): boolean {
		if (this.#state === "unused") this.#start();
		return this.#state === "ready";
	}

	/** Whether `verify` accepts this hash. */
	takes(hash: string): boolean {
		return this.#state === "ready" && parseBcryptHash(hash) !== undefined;
	}

	/**
	 * Pass it at most `LANES` hashes at once.
	 *
	 * @throws Error when the thread fails before the result.
	 */
	verify(passwordPlain: string, hash: string): Promise<boolean> {
		const worker = this.#worker;
		if (worker === undefined) return Promise.reject(new Error("the thread has failed"));
		const request: LaneRequest = { id: ++this.#lastId, password: keyOf(passwordPlain), hash };
		return new Promise((resolve, reject) => {
			this.#pending.set(request.id, { resolve, reject });
			worker.ref();
			worker.postMessage(request, [request.password.buffer as ArrayBuffer]);
		});
	}

	#start(): void {
		this.#state = "starting";
		// The package holds compiled files.
		const file = new URL(`./lanes-worker${extname(import.meta.filename)}`, import.meta.url);
		// It needs no settings, and settings contain secrets.
		const worker = new Worker(file, { name: "bcrypt lanes", env: {}, resourceLimits: LIMITS });
		worker.on("message", (message: "ready" | LaneResult) => this.#receive(message));
		worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
		worker.on("exit", (code) => this.#fail(new Error(`the thread ended with ${code}`)));
		// A message listener keeps the process alive, so this comes after it.
		worker.unref();
		this.#worker = worker;
	}

	#receive(message: "ready" | LaneResult): void {
		if (message === "ready") {
			this.#state = "ready";
			return;
		}
		this.#pending.get(message.id)?.resolve(message.isMatch);
		this.#pending.delete(message.id);
		if (this.#pending.size === 0) this.#worker?.unref();
	}

	#fail(error: Error): void {
		if (this.#state === "failed") return;
		this.#state = "failed";
		this.#worker = undefined;
		for (const { reject } of this.#pending.values()) reject(error);
		this.#pending.clear();
		this.#report(error);
	}
}

/** The bytes that bcrypt reads, in their own memory, which is transferred to the thread and overwritten there. */
function keyOf(passwordPlain: string): Uint8Array {
	const bytes = new TextEncoder().encode(passwordPlain);
	const key = bytes.slice(0, BCRYPT_KEY_MAX_BYTES);
	bytes.fill(0);
	return key;
}
