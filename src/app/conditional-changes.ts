// Makes changes with `If-Match`: compares and changes in one transaction.

import type { SignedIn } from "../domain/session.ts";
import { TransactionDb } from "../domain/transaction-db.ts";
import { RememberedGateway } from "../features/access/configuration/remembered-gateway.ts";
import type { RowsOver } from "../features/access/configuration/rows-wire.ts";
import type { Platform } from "../features/platform.ts";
import type { AnyCall } from "../http/describe/endpoint.ts";
import type { Route } from "../http/describe/guard.ts";
import type { ConditionalChange, Confirm } from "../http/run/if-match.ts";
import { AppError } from "../kernel/error.ts";
import { Semaphore } from "../kernel/semaphore.ts";

const WAITING_MAX = 50;

/** Ends a transaction that needs the response of an issuer. */
class IssuerUnknown extends Error {}

export function createConditionalChange(platform: Platform, rowsOver: RowsOver): ConditionalChange {
	// Each holds a transaction while it reads beside it; more could take all connections of a pool.
	const turns = new Semaphore(1);
	return async (route, call, confirm) => {
		const gateway = new RememberedGateway(platform.providers);
		for (;;) {
			if (turns.waiting >= WAITING_MAX)
				throw new AppError(
					"service.overloaded",
					"too many changes with If-Match at the moment, try again shortly",
				);
			const release = await turns.acquire();
			try {
				return await change({ platform, rowsOver, gateway }, route, call, confirm);
			} catch (error) {
				if (!(error instanceof IssuerUnknown)) throw error;
			} finally {
				release();
			}
			await gateway.call();
		}
	};
}

interface Needed {
	readonly platform: Platform;
	readonly rowsOver: RowsOver;
	readonly gateway: RememberedGateway;
}

async function change(
	{ platform, rowsOver, gateway }: Needed,
	{ method, path }: Route,
	call: AnyCall,
	confirm: Confirm,
): Promise<unknown> {
	const db = new TransactionDb();
	let isMailWaiting = false;
	const rows = rowsOver({
		...platform,
		db,
		providers: { ...platform.providers, checkIssuer: (issuer) => gateway.checkIssuer(issuer) },
		wakeMail: () => {
			isMailWaiting = true;
		},
	});
	const read = reader(path, call);
	const row = rows.find((each) => each.method === method && each.path === path);
	const result = await platform.db.transaction((stores) =>
		db.within(stores, async () => {
			const before = await read(rows);
			if (before !== undefined) confirm(before);
			// Of a record that does not exist, the row tells more.
			const result = await row?.endpoint.handle(call);
			if (before === undefined) confirm(before);
			if (gateway.isMissing) throw new IssuerUnknown();
			// PostgreSQL shows what was committed between the reading and the change, which now holds the lock of the record.
			confirm(await read(rowsOver(platform)));
			return result;
		}),
	);
	if (isMailWaiting) platform.wakeMail();
	return result;
}

const ME = "/api/v1/users/me";

/**
 * @returns what reads the record of a path over rows: undefined if it does not exist. The row of one's own account returns the user
 * that the guard has read.
 */
function reader(path: string, call: AnyCall): (rows: readonly Route[]) => Promise<unknown> {
	const isMe = path === ME;
	const recordPath = isMe ? "/api/v1/users/{id}" : path;
	const ids = isMe ? { id: (call.caller as SignedIn).userId } : call.ids;
	return async (rows) => {
		const row = rows.find((each) => each.method === "GET" && each.path === recordPath);
		if (row === undefined) throw new Error(`the map has no row GET ${recordPath}`);
		const { endpoint } = row;
		try {
			return endpoint.response.wrap(await endpoint.handle({ ...call, ids, query: {} }), call.page);
		} catch (error) {
			if (error instanceof AppError && error.kind === "not_found") return undefined;
			throw error;
		}
	};
}
