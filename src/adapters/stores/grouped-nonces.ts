// Nonces on an engine with several writing nodes: claims that arrive together share a statement and its commit.

import type { FollowedServer } from "../../domain/database-server.ts";
import type { NonceStore } from "../../domain/nonce.ts";
import { AppError } from "../../kernel/error.ts";
import type { Engine } from "../sql/engine.ts";
import type { Queries, Statement } from "../sql/queries.ts";
import {
	arrayOf,
	claimStatement,
	type Decision,
	endOf,
	type Hours,
	hoursOf,
	lookUpStatement,
	openHours,
	openNextHours,
	tablesOf,
} from "./nonce-ring.ts";

/** Claims of one statement. */
const TOGETHER_MAX = 256;

interface Claim {
	/** A UUID. */
	readonly digest: string;
	readonly signedAtSeconds: number;
	resolve(isFirst: boolean): void;
	reject(error: unknown): void;
}

interface GroupedOptions {
	/** SHA-256 in hex. */
	readonly digestOf: (text: string) => string;
	readonly followed?: FollowedServer | undefined;
}

/**
 * A server other than the accepted one may not know which nonces were claimed: `claim` and `isFree` throw
 * `service.unavailable` then.
 *
 * @returns the store on one connection.
 */
export function groupedNonces(
	engine: Pick<Engine, "queries" | "transaction" | "serverIdentity">,
	{ digestOf, followed = { identity: "" } }: GroupedOptions,
): (queries: Queries) => NonceStore {
	return (queries) => {
		const claims = new GroupedClaims(engine, queries, followed);
		return {
			// The database decides each claim.
			load: () => Promise.resolve(),
			claim: (clientId, nonce, signedAtSeconds) =>
				claims.claim(nonceDigest(digestOf, clientId, nonce), signedAtSeconds),
			async isFree(clientId, nonce, signedAtSeconds) {
				const digest = nonceDigest(digestOf, clientId, nonce);
				const lookUp = lookUpStatement(hoursOf(signedAtSeconds), engine.serverIdentity);
				const decision = present(await queries.one<Decision>(lookUp, digest, followed.identity));
				const refusal = refusalOf({ signedAtSeconds }, decision);
				if (refusal !== undefined) throw refusal;
				return decision.claimed !== null && signedAtSeconds > decision.floor;
			},
			async purge(beforeSeconds) {
				await openNextHours(queries, beforeSeconds);
				return 0;
			},
		};
	};
}

/** Identifies a nonce of a client: 128 bits as a UUID. A client that finds a collision of two of its nonces gains nothing. */
export function nonceDigest(digestOf: (text: string) => string, clientId: string, nonce: string): string {
	const hex = digestOf(`${clientId}\n${nonce}`);
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
		"-",
	);
}

/** Claims of the same hours that arrive in one turn, or while the group before them commits, are sent together. */
class GroupedClaims {
	readonly #engine: Pick<Engine, "queries" | "transaction" | "serverIdentity">;
	readonly #queries: Queries;
	readonly #followed: FollowedServer;
	/** By hours, while a group of them is sent or waits for the end of its turn. */
	readonly #waiting = new Map<string, Claim[]>();
	/** By tables. Reusing the same string speeds up the lookup of its prepared statement. */
	readonly #statements = new Map<string, Statement>();

	constructor(
		engine: Pick<Engine, "queries" | "transaction" | "serverIdentity">,
		queries: Queries,
		followed: FollowedServer,
	) {
		this.#engine = engine;
		this.#queries = queries;
		this.#followed = followed;
	}

	claim(digest: string, signedAtSeconds: number): Promise<boolean> {
		return new Promise((resolve, reject) => {
			this.#add({ digest, signedAtSeconds, resolve, reject });
		});
	}

	#add(claim: Claim): void {
		const hours = hoursOf(claim.signedAtSeconds);
		const key = `${hours.first}-${hours.last}`;
		const waiting = this.#waiting.get(key);
		if (waiting !== undefined) {
			waiting.push(claim);
			return;
		}
		const claims = [claim];
		this.#waiting.set(key, claims);
		setImmediate(() => void this.#sendAll(hours, key, claims));
	}

	/**
	 * One group at a time, so that groups grow with the load instead of the number of connections. When a group fails, so does
	 * everything behind it: otherwise each group would wait for an absent database in turn.
	 */
	async #sendAll(hours: Hours, key: string, waiting: Claim[]): Promise<void> {
		while (waiting.length > 0) {
			const claims = waiting.splice(0, TOGETHER_MAX);
			try {
				await this.#send(hours, claims);
			} catch (error) {
				for (const { reject } of [...claims, ...waiting.splice(0)]) reject(error);
			}
		}
		this.#waiting.delete(key);
	}

	async #send(hours: Hours, claims: readonly Claim[]): Promise<void> {
		const byDigest = [...Map.groupBy(claims, ({ digest }) => digest)].sort(([a], [b]) => (a < b ? -1 : 1));
		const offered = byDigest.map(([, [first]]) => first as Claim);
		const decision = await this.#decide(hours, offered);
		const claimed = new Set(decision.claimed?.split(","));
		for (const [digest, repeats] of byDigest) this.#settle(repeats, claimed.has(digest), decision);
	}

	/** @throws AppError `service.unavailable` when the hours stay closed, because the clock of the server is behind. */
	async #decide(hours: Hours, claims: readonly Claim[]): Promise<Decision> {
		const decision = await this.#ask(hours, claims);
		if (decision.accepted === 0 || decision.ceiling >= endOf(hours.last)) return decision;
		const { queries, transaction } = this.#engine;
		if (this.#queries === queries)
			await transaction.call(this.#engine, (within) => openHours(within, hours.last));
		else await openHours(this.#queries, hours.last);
		const again = await this.#ask(hours, claims);
		if (again.ceiling < endOf(hours.last)) throw unavailable("the clock of the database server is behind", 1);
		return again;
	}

	async #ask(hours: Hours, claims: readonly Claim[]): Promise<Decision> {
		const [decision] = await this.#queries.all<Decision>(
			this.#statementOf(hours),
			arrayOf(claims.map(({ digest }) => digest)),
			arrayOf(claims.map(({ signedAtSeconds }) => signedAtSeconds)),
			this.#followed.identity,
			endOf(hours.last),
		);
		return present(decision);
	}

	#statementOf(hours: Hours): Statement {
		const key = tablesOf(hours).join();
		let claim = this.#statements.get(key);
		if (claim === undefined) {
			claim = claimStatement(hours, this.#engine.serverIdentity);
			this.#statements.set(key, claim);
		}
		return claim;
	}

	/** Of several claims of one nonce, only the first was offered: it decides on those with its timestamp. */
	#settle(repeats: readonly Claim[], isClaimed: boolean, decision: Decision): void {
		const [first] = repeats as readonly [Claim];
		const refusal = isClaimed ? undefined : refusalOf(first, decision);
		for (const claim of repeats) {
			if (isClaimed) claim.resolve(claim === first);
			else if (claim.signedAtSeconds !== first.signedAtSeconds) this.#add(claim);
			else if (refusal === undefined) claim.resolve(false);
			else claim.reject(refusal);
		}
	}
}

function present(decision: Decision | undefined): Decision {
	if (decision === undefined) throw new Error("the table nonce_ring is empty");
	return decision;
}

/** Why nothing signed at this time is claimed although its nonce may be new; undefined if something is. */
function refusalOf(
	{ signedAtSeconds }: Pick<Claim, "signedAtSeconds">,
	{ accepted, closedUntil }: Decision,
): AppError | undefined {
	if (accepted === 0) return unavailable("the database server changed", 1);
	if (signedAtSeconds > closedUntil) return undefined;
	return unavailable("the database failed over", closedUntil - signedAtSeconds + 1);
}

function unavailable(cause: string, retryAfterSeconds: number): AppError {
	return new AppError(
		"service.unavailable",
		`${cause}: sign the request again after the time in Retry-After`,
		{ retryAfterSeconds },
	);
}
