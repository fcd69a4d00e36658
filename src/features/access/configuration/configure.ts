// Reads the configuration of a tenant, and plans a file.

import { sha256Base64url } from "../../../crypto/digest.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { TransactionDb } from "../../../domain/transaction-db.ts";
import { AppError, invalidField } from "../../../kernel/error.ts";
import { Semaphore } from "../../../kernel/semaphore.ts";
import type { Platform } from "../../platform.ts";
import type { ParsedDocument } from "./document-wire.ts";
import { type KnownIds, makeStep, type Step, stepsOf } from "./make-change.ts";
import { type Change, type Kept, planChanges } from "./plan-changes.ts";
import { type Part, readState, type State } from "./read-state.ts";
import type { RememberedGateway } from "./remembered-gateway.ts";
import { canonicalJson, completed, type Fields, keyOf, kindOf, type Prune } from "./resource-table.ts";
import type { Ids, Rows } from "./rows-wire.ts";

export interface ConfigurationNeeds {
	readonly platform: Platform;
	readonly caller: Administrator;
	/** Over `transactionDb`, and with `gateway`. */
	readonly rows: Rows;
	readonly transactionDb: TransactionDb;
	readonly gateway: RememberedGateway;
	/** Whether the file has the managers of applications. */
	readonly people: boolean;
}

/** A change that this caller may not make. */
export interface Refused {
	readonly path: readonly string[];
	readonly error: AppError;
}

export interface Plan {
	/** Of the state that was compared. */
	readonly digest: string;
	readonly changes: readonly Change[];
	readonly kept: readonly Kept[];
	readonly refused: readonly Refused[];
	/** The changes that make a secret. */
	readonly secretive: ReadonlySet<Change>;
}

/** Plans hold a transaction open: they run one at a time, here and, by a lock of the database, in the installation. */
const turn = new Semaphore(1);
const WAITING_MAX = 20;

/** @returns what ends the turn. @throws AppError `service.overloaded` if too many wait for it. */
export async function takeTurn(): Promise<() => void> {
	if (turn.waiting >= WAITING_MAX)
		throw new AppError("service.overloaded", "too many plans at the moment, try again shortly", {
			retryAfterSeconds: 5,
		});
	return await turn.acquire();
}

/** Ends the transaction of a plan. */
class RolledBack extends Error {}

/**
 * In a transaction, because the lists of an embedded database are otherwise searched in another process, for few callers at once.
 */
export function readConfiguration(needs: ConfigurationNeeds, part: Part = {}): Promise<State> {
	const { platform, transactionDb } = needs;
	return platform.db.transaction((stores) =>
		transactionDb.within(stores, () => readWithin(needs, stores, part)),
	);
}

function readWithin(
	{ platform: { publicUrl, clock }, caller: { tenantId }, rows, people }: ConfigurationNeeds,
	stores: Stores,
	part: Part,
): Promise<State> {
	return readState({
		rows,
		tenantId,
		publicUrl,
		nowMs: clock(),
		part,
		people,
		async withApiClients(ids) {
			const usages = await stores.applications.listUsage(tenantId, ids);
			return new Set([...usages].filter(([, { apiClients }]) => apiClients > 0).map(([id]) => id));
		},
	});
}

/** A call of one row that changes a record, or a part of it. */
export interface RecordChange {
	readonly row: string;
	readonly ids: Ids;
	/** Undefined for a removal. */
	readonly body: Fields | undefined;
}

/**
 * Reads `part` as it would be after the change, which is rolled back.
 *
 * @throws AppError `request.invalid` (`change`) if the row refuses the change, `service.overloaded`.
 */
export async function previewChange(
	needs: ConfigurationNeeds,
	part: Part,
	{ row, ids, body }: RecordChange,
): Promise<State> {
	const { rows, caller } = needs;
	if (row === kindOf("tenant").update && ids.id !== caller.tenantId)
		throw invalidField("change.path.id", "own_tenant_only");
	const release = await takeTurn();
	try {
		await rows.admit(row);
		let state: State = new Map();
		// The gateway takes an issuer as it is given: the change itself calls it.
		await rolledBack(needs, async (stores) => {
			await stores.tenants.holdPlans();
			await rows.change(row, ids, body);
			state = await readWithin(needs, stores, part);
		});
		return state;
	} catch (error) {
		if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
		throw invalidField("change", "refused_change", { cause: error.message });
	} finally {
		release();
	}
}

async function rolledBack(
	{ platform, transactionDb }: ConfigurationNeeds,
	work: (stores: Stores) => Promise<void>,
): Promise<void> {
	try {
		await platform.db.transaction((stores) =>
			transactionDb.within(stores, async () => {
				await work(stores);
				throw new RolledBack();
			}),
		);
	} catch (error) {
		if (!(error instanceof RolledBack)) throw error;
	}
}

export function digestOf(state: State): string {
	const all = [...state].map(([key, resource]) => [key, completed(resource), resource.ids, resource.kept]);
	return sha256Base64url(canonicalJson(all.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))));
}

/**
 * Makes all changes in a transaction that is rolled back: what `applyConfiguration` would refuse, it refuses. Audit events and
 * deliveries are written by the end of a transaction, which this one does not reach.
 *
 * @throws AppError of the rows, with the fields of the file.
 */
export async function planConfiguration(
	needs: ConfigurationNeeds,
	document: ParsedDocument,
	prune: Prune | undefined,
): Promise<Plan> {
	const release = await takeTurn();
	try {
		return (await plan(needs, document, prune)).plan;
	} finally {
		release();
	}
}

export interface Planned {
	readonly plan: Plan;
	readonly state: State;
	readonly steps: readonly Step[];
}

export async function plan(
	needs: ConfigurationNeeds,
	document: ParsedDocument,
	prune: Prune | undefined,
	expected?: string,
): Promise<Planned> {
	const { rows, gateway } = needs;
	const stored = await readConfiguration(needs);
	const digest = digestOf(stored);
	if (expected !== undefined && expected !== digest)
		throw new AppError("config.changed", "the configuration changed since it was planned: plan again");
	const { changes, kept, state } = located(document, () => planChanges(stored, document.resources, prune));
	const steps = stepsOf(changes, rows);
	const secretive = new Set<Change>();
	let refused = await refusedSteps(steps, rows);
	if (refused.length === 0 && steps.length > 0)
		do refused = await rehearse(needs, document, state, steps, secretive);
		while (await gateway.call());
	return { plan: { digest, changes, kept, refused, secretive }, state, steps };
}

function located<T>(document: ParsedDocument, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw error instanceof AppError ? document.located(error) : error;
	}
}

/** Those whose row does not admit the caller. */
async function refusedSteps(steps: readonly Step[], rows: Rows): Promise<Refused[]> {
	const byRow = new Map<string, AppError | undefined>();
	for (const { row } of steps) {
		if (byRow.has(row)) continue;
		byRow.set(
			row,
			await rows.admit(row).then(
				() => undefined,
				(error: unknown) => {
					if (error instanceof AppError && error.kind === "forbidden") return error;
					throw error;
				},
			),
		);
	}
	return steps.flatMap(({ row, change: { path } }) => {
		const error = byRow.get(row);
		return error === undefined ? [] : [{ path, error }];
	});
}

async function rehearse(
	needs: ConfigurationNeeds,
	document: ParsedDocument,
	state: State,
	steps: readonly Step[],
	secretive: Set<Change>,
): Promise<Refused[]> {
	let refused: Refused[] = [];
	await rolledBack(needs, async ({ tenants }) => {
		await tenants.holdPlans();
		refused = [];
		const known = knownIds(state);
		for (const step of steps) {
			const error = await refusalOf(
				makeStep(step, needs.rows, known).then((secret) => {
					if (secret !== undefined) secretive.add(step.change);
				}),
			);
			if (error === undefined) continue;
			const { path } = step.change;
			if (error.kind !== "forbidden") throw document.located(ofFile(error, path));
			refused.push({ path, error });
		}
	});
	return refused;
}

async function refusalOf(work: Promise<unknown>): Promise<AppError | undefined> {
	try {
		await work;
		return undefined;
	} catch (error) {
		if (error instanceof AppError && error.kind !== "unavailable") return error;
		throw error;
	}
}

/** The error of a row with the fields of the file. A resource that is missing or taken is the document's fault. */
export function ofFile(error: AppError, path: readonly string[]): AppError {
	const place = path.join(".");
	const fields = error.fields.map((field) => ({
		...field,
		field: field.field === "" ? place : `${place}.${field.field}`,
	}));
	const kind = error.kind === "not_found" ? "conflict" : error.kind;
	return new AppError(error.code, `${place}: ${error.message}`, { kind, fields });
}

export function knownIds(state: State): KnownIds {
	return new Map([...state.values()].map(({ path, ids }) => [keyOf(path), ids]));
}
