// Nonces of the embedded database: decided in memory, and written as one row a commit.

import type { NonceStore } from "../../domain/nonce.ts";
import type { Engine, Queries } from "../sql/engine.ts";
import { ClaimedNonces } from "./claimed-nonces.ts";
import { insertBatch, type SignedNonce } from "./nonce-batch.ts";
import { nonceFloor } from "./nonce-store.ts";
import { storedNonces } from "./stored-nonces.ts";

/** At least 64 bits, one byte a character, with a key that is this process's own. */
export type KeyedDigest = (text: string) => string;

interface Claim extends SignedNonce {
	readonly digest: string;
	/** Set when it is decided. */
	isFirst: boolean;
	resolve(isFirst: boolean): void;
	reject(error: unknown): void;
}

/** Memory holds all that is claimed and above the floor, because no other process claims from the same database. */
export class BatchedClaims {
	readonly #engine: Engine;
	readonly #keyedDigest: KeyedDigest;
	readonly #claimed = new ClaimedNonces();
	#loading: Promise<void> | undefined;
	#isLoaded = false;
	#waiting: Claim[] = [];

	constructor(engine: Engine, keyedDigest: KeyedDigest) {
		this.#engine = engine;
		this.#keyedDigest = keyedDigest;
	}

	claim(...claim: Parameters<NonceStore["claim"]>): Promise<boolean> {
		return this.#isLoaded ? this.#claim(...claim) : this.load().then(() => this.#claim(...claim));
	}

	async isFree(...[clientId, nonce, signedAtSeconds]: Parameters<NonceStore["isFree"]>): Promise<boolean> {
		await this.load();
		const floor = await nonceFloor(this.#engine.queries);
		return signedAtSeconds > floor && !this.#claimed.has(this.#digest(clientId, nonce), floor);
	}

	/** Again after a failure: nothing is claimed before all is known. */
	load(): Promise<void> {
		this.#loading ??= this.#read().catch((error) => {
			this.#loading = undefined;
			throw error;
		});
		return this.#loading;
	}

	async #read(): Promise<void> {
		const { whole } = this.#engine;
		await whole.view(async (view) => {
			const floor = await nonceFloor(view);
			const remember = ({ clientId, nonce, signedAtSeconds }: SignedNonce): void => {
				if (signedAtSeconds > floor) this.#claimed.add(this.#digest(clientId, nonce), signedAtSeconds);
			};
			for await (const claims of storedNonces(whole, view)) claims.forEach(remember);
		});
		this.#isLoaded = true;
	}

	#digest(clientId: string, nonce: string): string {
		return this.#keyedDigest(`${clientId}\n${nonce}`);
	}

	#claim(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean> {
		return new Promise((resolve, reject) => {
			const digest = this.#digest(clientId, nonce);
			this.#waiting.push({ clientId, nonce, signedAtSeconds, digest, isFirst: false, resolve, reject });
			if (this.#waiting.length === 1) void this.#commit();
		});
	}

	/** Decides and writes what waits when the commit of this turn begins. */
	async #commit(): Promise<void> {
		let claims: Claim[] | undefined;
		try {
			const floor = await this.#engine.transaction((queries) => {
				claims = this.#takeWaiting();
				return this.#decide(queries, claims);
			});
			this.#claimed.raiseFloor(floor);
		} catch (error) {
			// A commit that could not begin took nothing.
			for (const claim of claims ?? this.#takeWaiting()) {
				if (claim.isFirst) this.#claimed.forget(claim.digest, claim.signedAtSeconds);
				claim.reject(error);
			}
			return;
		}
		for (const { resolve, isFirst } of claims ?? []) resolve(isFirst);
	}

	#takeWaiting(): Claim[] {
		const claims = this.#waiting;
		this.#waiting = [];
		return claims;
	}

	/** @returns the floor it was decided with. It may be raised by the same commit, so nothing may be dropped for it yet. */
	async #decide(queries: Queries, claims: readonly Claim[]): Promise<number> {
		const floor = await nonceFloor(queries);
		for (const claim of claims) {
			const { digest, signedAtSeconds } = claim;
			if (signedAtSeconds <= floor || this.#claimed.has(digest, floor)) continue;
			this.#claimed.add(digest, signedAtSeconds);
			claim.isFirst = true;
		}
		const first = claims.filter(({ isFirst }) => isFirst);
		if (first.length > 0) await insertBatch(queries, first);
		return floor;
	}
}
