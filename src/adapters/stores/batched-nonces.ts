// Nonces on an engine with one writing process: memory decides each claim, and one row holds all nonces of a commit.

import type { NonceStore } from "../../domain/nonce.ts";
import type { Engine } from "../sql/engine.ts";
import { type Queries, statement } from "../sql/queries.ts";
import type { WholeDatabase } from "../sql/whole-database.ts";
import { ClaimedNonces } from "./claimed-nonces.ts";
import { nonceDigest } from "./grouped-nonces.ts";
import { nonceFloor, raiseNonceFloor } from "./nonce-floor.ts";
import { insertClaimed, openHoursOf } from "./nonce-ring.ts";

/** At least 64 bits, one byte per character, with a key that only this process has. */
export type KeyedDigest = (text: string) => string;

interface SignedNonce {
	readonly clientId: string;
	readonly nonce: string;
	readonly signedAtSeconds: number;
}

interface Claim extends SignedNonce {
	readonly digest: string;
	/** Set once the claim is decided. */
	isFirst: boolean;
	resolve(isFirst: boolean): void;
	reject(error: unknown): void;
}

const BATCHES = { name: "nonce_batches", columns: ["id", "claims"], key: ["id"] };
const ROWS_A_STATEMENT = 1_000;
/** Ids per second. Ids ascend with time, so old batches are a range of ids. */
const IDS_A_SECOND = 2 ** 20;
const INSERT = statement(
	`INSERT INTO nonce_batches (id, claims)
	SELECT COALESCE(max(id) + 1, CAST($1 AS BIGINT)), CAST($3 AS TEXT) FROM nonce_batches WHERE id >= $1 AND id < $2`,
	{ leavesCache: true },
);
const OLDEST =
	"SELECT max(id) AS id FROM (SELECT id FROM nonce_batches WHERE id < $1 ORDER BY id LIMIT $2) AS oldest";

/**
 * @param keyedDigest undefined in a process without the lock of the data directory: the service would miss its claims.
 * @returns the store on one connection.
 */
export function batchedNonces(
	engine: Engine,
	keyedDigest: KeyedDigest | undefined,
): (queries: Queries) => NonceStore {
	const claims = keyedDigest === undefined ? undefined : new BatchedClaims(engine, keyedDigest);
	return (queries) => {
		const purge: NonceStore["purge"] = (...before) => purgeBatches(queries, ...before);
		if (claims !== undefined && queries === engine.queries)
			return {
				load: () => claims.load(),
				claim: (...claim) => claims.claim(...claim),
				isFree: (...claim) => claims.isFree(...claim),
				purge,
			};
		const message =
			claims === undefined
				? "only the process that holds the data directory can claim nonces"
				: "a nonce cannot be claimed inside a transaction: its claim is a separate commit";
		const refuse = () => Promise.reject(new Error(message));
		return { load: refuse, claim: refuse, isFree: refuse, purge };
	};
}

/** A batch is deleted when all of its nonces are old. */
async function purgeBatches(queries: Queries, beforeSeconds: number, limit: number): Promise<number> {
	const oldest = await queries.one<{ id: number | null }>(OLDEST, firstId(beforeSeconds), limit);
	if (oldest === undefined || oldest.id === null) return 0;
	const floor = Math.floor(oldest.id / IDS_A_SECOND);
	await raiseNonceFloor(queries, floor);
	return queries.run("DELETE FROM nonce_batches WHERE id < $1", firstId(floor + 1));
}

/** All nonces of a batch with a lower id are older than `seconds`. */
function firstId(seconds: number): number {
	return seconds * IDS_A_SECOND;
}

/** Memory holds every claimed nonce above the floor, because no other process claims nonces in the same database. */
class BatchedClaims {
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

	/** Reads again after a failure: nothing can be claimed before all earlier claims are known. */
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
			for await (const nonces of batched(whole, view))
				for (const { clientId, nonce, signedAtSeconds } of nonces)
					if (signedAtSeconds > floor) this.#claimed.add(this.#digest(clientId, nonce), signedAtSeconds);
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

	/** Decides and writes the claims that wait when the commit of this turn begins. */
	async #commit(): Promise<void> {
		let claims: Claim[] | undefined;
		try {
			const floor = await this.#engine.transaction((queries) => {
				claims = this.#takeWaiting();
				return this.#decide(queries, claims);
			});
			this.#claimed.raiseFloor(floor);
		} catch (error) {
			// If the commit could not begin, the claims still wait.
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

	/** @returns the floor used for the decision. The same commit may raise it, so nothing below it can be dropped yet. */
	async #decide(queries: Queries, claims: readonly Claim[]): Promise<number> {
		const floor = await nonceFloor(queries);
		for (const claim of claims) {
			const { digest, signedAtSeconds } = claim;
			if (signedAtSeconds <= floor || this.#claimed.has(digest, floor)) continue;
			this.#claimed.add(digest, signedAtSeconds);
			claim.isFirst = true;
		}
		const first = claims.filter(({ isFirst }) => isFirst);
		if (first.length > 0) {
			const newest = first.reduce((latest, { signedAtSeconds }) => Math.max(latest, signedAtSeconds), 0);
			await queries.run(INSERT, firstId(newest), firstId(newest + 1), packBatch(first));
		}
		return floor;
	}
}

/** A client, a time, and the nonces it claimed for that time. */
type Group = [clientId: string, signedAtSeconds: number, ...nonces: string[]];

function packBatch(claims: readonly SignedNonce[]): string {
	const groups: Group[] = [];
	let last: Group | undefined;
	for (const { clientId, nonce, signedAtSeconds } of claims) {
		if (last?.[0] !== clientId || last[1] !== signedAtSeconds) {
			last = [clientId, signedAtSeconds];
			groups.push(last);
		}
		last.push(nonce);
	}
	return JSON.stringify(groups);
}

export function unpackBatch(claims: string): SignedNonce[] {
	const groups: readonly Group[] = JSON.parse(claims);
	const unpacked: SignedNonce[] = [];
	// Plain loops, because a start unpacks millions.
	for (const [clientId, signedAtSeconds, ...nonces] of groups)
		for (const nonce of nonces) unpacked.push({ clientId, nonce, signedAtSeconds });
	return unpacked;
}

async function* batched(whole: WholeDatabase, view: Queries): AsyncGenerator<SignedNonce[]> {
	for await (const batches of whole.rows(view, BATCHES))
		for (const [, claims] of batches) yield unpackBatch(String(claims));
}

/** Inside a transaction: writes the batched nonces into the ring, for an engine with several writers. */
export async function unpackNonceBatches(
	whole: WholeDatabase,
	queries: Queries,
	digestOf: (text: string) => string,
): Promise<void> {
	const floor = await nonceFloor(queries);
	const newest = await queries.one<{ id: number | null }>("SELECT max(id) AS id FROM nonce_batches");
	await openHoursOf(queries, Math.floor((newest?.id ?? 0) / IDS_A_SECOND));
	let claimed: { readonly digest: string; readonly signedAtSeconds: number }[] = [];
	for await (const nonces of batched(whole, queries)) {
		for (const { clientId, nonce, signedAtSeconds } of nonces)
			if (signedAtSeconds > floor)
				claimed.push({ digest: nonceDigest(digestOf, clientId, nonce), signedAtSeconds });
		if (claimed.length < ROWS_A_STATEMENT) continue;
		await insertClaimed(queries, claimed);
		claimed = [];
	}
	await insertClaimed(queries, claimed);
	await whole.run(queries, "DELETE FROM nonce_batches");
}
