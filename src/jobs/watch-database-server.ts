// Notices that the database failed over, and refuses what the new server may have forgotten. Runs every second on
// every node; the database decides which node records the change.

import { systemCaller } from "../domain/caller.ts";
import {
	compareServers,
	type DatabaseServer,
	type FollowedServer,
	findRivals,
	isOutdated,
	nameServer,
	type ProbedServer,
	type ServerChange,
	type ServerIdentity,
} from "../domain/database-server.ts";
import type { HealthCheck } from "../domain/health-check.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../domain/nonce.ts";
import type { Db } from "../domain/stores.ts";
import type { Needs } from "../features/platform.ts";
import { isoTime, SECOND_MS } from "../kernel/clock.ts";

type Needed = Needs<"databaseServer" | "tenants" | "audit" | "sessions" | "apiClients", "clock" | "log"> & {
	/** Whether every acknowledged write is on the standby, so that a promotion loses nothing. */
	readonly hasSynchronousStandby: boolean;
	/** Asks every listed server, which moves to the one on the latest timeline. */
	readonly probeServers: () => Promise<readonly ProbedServer[]>;
	/** Voids codes that may have been used; takes as long as it needs. */
	readonly voidCodes: (nowMs: number) => Promise<void>;
	/** Where this node has repeated what it ended; shared with the claims of nonces. */
	readonly followed: FollowedServer;
	/** Repeats what this process ended. */
	readonly repeatEndings: (db: Db<"sessions" | "apiClients">) => Promise<number>;
};

export interface DatabaseServerWatch {
	readonly job: { readonly name: string; readonly everyMs: number; run(): Promise<void> };
	/**
	 * The first fails while the current server is neither the accepted one nor its successor; the second, while two listed
	 * servers accept writes.
	 */
	readonly checks: readonly HealthCheck[];
	/** The timeline of the current server, for the metrics; undefined without one. */
	readonly current: () => ServerIdentity | undefined;
}

/** Runs from one probe to the next. */
const PROBE_EVERY = 10;

const ADVICE = {
	outdated:
		"the database server is on an earlier timeline than before: stop it, and connect to its successor",
	other:
		"the database is on another server than before: compare the data, then run latchkey fence --accept-server",
} as const;

export function createDatabaseServerWatch(needed: Needed): DatabaseServerWatch {
	const { db, log, followed } = needed;
	let last: DatabaseServer | undefined;
	let reported: ServerChange | undefined;
	let probed: readonly ProbedServer[] = [];

	const follow = async ({ current }: DatabaseServer): Promise<void> => {
		if (followed.identity !== "" && followed.identity !== current && !needed.hasSynchronousStandby) {
			const repeated = await needed.repeatEndings(db);
			log.warn(
				{ database: current },
				`ended ${repeated} sessions and clients again that this node had ended in the last ten minutes`,
			);
		}
		followed.identity = current;
	};

	let runs = 0;
	const run = async (): Promise<void> => {
		// A primary that was cut off from its standby may still accept writes.
		if (runs++ % PROBE_EVERY === 0) {
			const hadRivals = findRivals(probed).length > 0;
			probed = await needed.probeServers();
			const rivals = findRivals(probed).map(({ host, identity }) => nameServer(host, identity));
			if (rivals.length > 0 && !hadRivals)
				log.error(
					{ database: rivals.join(", ") },
					"two database servers accept writes: stop the one that was replaced",
				);
		}
		const found = await db.stores.databaseServer.find();
		if (found === undefined) return;
		last = withNewest(found, followed.identity || undefined);
		const change = compareServers(last);
		const isRefused = change === "outdated" || change === "other";
		if (isRefused && reported !== change) log.error({ database: describeServer(last) }, ADVICE[change]);
		reported = isRefused ? change : undefined;
		if (isRefused) return;
		if (change === "first") await db.stores.databaseServer.accept(found);
		if (change === "promoted") await acceptPromotion(needed, found);
		await follow(found);
		last = { ...found, accepted: found.current };
	};

	return {
		job: { name: "watch-database-server", everyMs: SECOND_MS, run },
		checks: [
			{
				name: "database_server",
				required: true,
				async check() {
					const change = last === undefined ? "none" : compareServers(last);
					if (change === "outdated" || change === "other") throw new Error(ADVICE[change]);
				},
				detail: () => last && `the server is ${describeServer(last)}`,
			},
			{
				name: "database_writers",
				required: false,
				async check() {
					if (findRivals(probed).length > 0) throw new Error("two servers accept writes");
				},
				detail: () => `accept writes: ${listRivals(probed).join(", ")}`,
			},
		],
		current: () => last?.current,
	};
}

async function acceptPromotion(
	{ db, clock, log, hasSynchronousStandby, voidCodes }: Needed,
	server: DatabaseServer,
): Promise<void> {
	const nowMs = clock();
	const closedUntilSeconds = Math.ceil(nowMs / SECOND_MS) + SIGNATURE_WINDOW_SECONDS;
	const { databaseServer } = db.stores;
	// In this order: until the server is accepted, it claims no nonce, and a failure here is retried in a second.
	if (!hasSynchronousStandby) {
		await databaseServer.closeUntil(closedUntilSeconds);
		await voidCodes(nowMs);
	}
	if (!(await databaseServer.accept(server))) return;
	const closedUntil = isoTime(closedUntilSeconds * SECOND_MS);
	const fate = hasSynchronousStandby ? "nothing is lost" : `what was signed up to ${closedUntil} is refused`;
	log.warn({ database: describeServer(server) }, `the database failed over to another server: ${fate}`);
	const details = {
		from: server.accepted ?? "",
		to: server.current,
		...(hasSynchronousStandby ? {} : { signed_calls_refused_until: closedUntil }),
	};
	for (const { id } of await db.stores.tenants.listAll())
		await db.transaction(({ audit }) =>
			audit.append(systemCaller(id), "installation.failed_over", "", details),
		);
}

/** A pooler may go back to an old primary, which accepts itself: this process knows its successor. */
function withNewest(found: DatabaseServer, newest: ServerIdentity | undefined): DatabaseServer {
	return newest !== undefined && isOutdated(found.current, newest) ? { ...found, accepted: newest } : found;
}

/** By their places in the URL: callers of `/health` learn no host name. */
function listRivals(probed: readonly ProbedServer[]): string[] {
	return findRivals(probed).map((server) =>
		nameServer(`host ${probed.indexOf(server) + 1} of LATCHKEY_DATABASE_URL`, server.identity),
	);
}

function describeServer({ accepted, current }: DatabaseServer): string {
	return `${current}, before ${accepted ?? "none"}`;
}
