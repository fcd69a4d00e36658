// Queues every password hash, and runs its bcrypt work on a thread of the C library, or in a lane that shares a thread
// with other hashes (`packages/bcrypt-lanes/`).

import * as bcrypt from "@node-rs/bcrypt";
import { LANES, LaneThread } from "#bcrypt-lanes";
import { rateLimitKey } from "../kernel/ip.ts";
import { BcryptWork, hashMsAt } from "./bcrypt-work.ts";
import { type HashLoad, HashQueue } from "./hash-queue.ts";

export interface BcryptTurnsOptions {
	/** bcrypt cost: 10 to 15 by configuration, 4 in tests. */
	readonly cost: number;
	/** Concurrent hashes: cores - 1, at least 1. */
	readonly threads: number;
	readonly queueLimit: number;
	/** Called when lanes fail and are abandoned permanently; unset: no lanes. */
	readonly onLanesFailed?: ((error: Error) => void) | undefined;
	/** Called with the stored or substitute hash before each verification: its cost is the work. */
	readonly onVerify?: ((hash: string) => void) | undefined;
}

/** Every method that waits for a turn @throws AppError `service.overloaded`. */
export class BcryptTurns {
	readonly #queue: HashQueue;
	readonly #alone: BcryptWork;
	/** By kind of thread. Each kind measures its own time. */
	readonly #inLanes: readonly BcryptWork[] = [];

	constructor({ cost, threads, queueLimit, onLanesFailed, onVerify = () => undefined }: BcryptTurnsOptions) {
		const observed = (verify: Verify): Verify => {
			return (passwordPlain, hash) => {
				onVerify(hash);
				return verify(passwordPlain, hash);
			};
		};
		this.#alone = new BcryptWork(cost, observed(bcrypt.verify));
		const queueOptions = { threads, queueLimit, hashMs: hashMsAt(cost) };
		if (onLanesFailed === undefined) {
			this.#queue = new HashQueue(queueOptions);
			return;
		}
		const laneThreads = Array.from({ length: threads }, () => new LaneThread(onLanesFailed));
		this.#inLanes = laneThreads.map((thread) => new BcryptWork(cost, observed(verifyIn(thread))));
		const isReady = (thread: number): boolean => laneThreads[thread]?.isReady() === true;
		this.#queue = new HashQueue({ ...queueOptions, sharing: { lanes: LANES, isReady } });
	}

	get load(): HashLoad {
		return this.#queue.load;
	}

	checkRoom(ip: string): void {
		this.#queue.checkRoom(rateLimitKey(ip));
	}

	/** A turn to verify a password. */
	verify<T>(ip: string, verify: (work: BcryptWork) => Promise<T>): Promise<T> {
		return this.#queue.run(
			rateLimitKey(ip),
			({ thread, isShared }) => verify((isShared ? this.#inLanes[thread] : undefined) ?? this.#alone),
			true,
		);
	}

	/** A turn to create a hash, on a thread of its own: a fault in the lanes must never be stored. */
	hash(ip: string, hash: () => Promise<string>): Promise<string> {
		return this.#queue.run(rateLimitKey(ip), hash);
	}
}

type Verify = (passwordPlain: string, hash: string) => Promise<boolean>;

function verifyIn(thread: LaneThread): Verify {
	return async (passwordPlain, hash) => {
		if (!thread.takes(hash)) return bcrypt.verify(passwordPlain, hash);
		try {
			return await thread.verify(passwordPlain, hash);
		} catch {
			// The thread has already reported the failure.
			return bcrypt.verify(passwordPlain, hash);
		}
	};
}
