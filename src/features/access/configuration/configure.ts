// Exports, plans, and applies the configuration of a tenant.

import { sha256Base64url } from "../../../crypto/digest.ts";
import { named } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { ProviderConnection, ProviderGateway } from "../../../domain/provider-gateway.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError } from "../../../kernel/error.ts";
import { Semaphore } from "../../../kernel/semaphore.ts";
import type { Platform } from "../../platform.ts";
import type { ParsedDocument } from "./document-wire.ts";
import { idsOf, type KnownIds, type MadeSecret, makeStep, type Step, stepsOf } from "./make-change.ts";
import { type Change, type Kept, type Prune, planChanges } from "./plan-changes.ts";
import { readOne, readState, type State } from "./read-state.ts";
import { canonicalJson, completed, keyOf, kindOf } from "./resource-table.ts";
import type { Rows, TransactionDb } from "./rows-wire.ts";

export interface ConfigurationNeeds {
	readonly platform: Platform;
	readonly caller: Administrator;
	/** Over `transactionDb`, and with `gateway`. */
	readonly rows: Rows;
	readonly transactionDb: TransactionDb;
	readonly gateway: RememberedGateway;
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

export interface Applied extends Plan {
	/** Those that were made, in their order. */
	readonly made: readonly Change[];
	readonly secrets: readonly MadeSecret[];
	/** Why it ended early; the changes before it stay. */
	readonly stopped: Refused | undefined;
}

/** Plans hold a transaction open: they run one at a time. */
const turn = new Semaphore(1);

/** Calls an issuer outside of the transaction of a plan, which may only await stores. */
export class RememberedGateway {
	readonly #gateway: ProviderGateway;
	readonly #known = new Map<string, Promise<string | null>>();
	#missing: (() => void)[] = [];

	constructor(gateway: ProviderGateway) {
		this.#gateway = gateway;
	}

	checkIssuer(connection: Pick<ProviderConnection, "kind" | "issuer">): Promise<string | null> {
		const key = JSON.stringify([connection.kind, connection.issuer]);
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		this.#missing.push(() => {
			const called = this.#gateway.checkIssuer(connection);
			// Awaited by the plan that runs again.
			called.catch((error: unknown) => error);
			this.#known.set(key, called);
		});
		return Promise.resolve(connection.issuer);
	}

	/** Makes the calls that were missing. @returns whether there were any */
	async call(): Promise<boolean> {
		const missing = this.#missing;
		this.#missing = [];
		for (const call of missing) call();
		await Promise.allSettled(this.#known.values());
		return missing.length > 0;
	}
}

/** Ends the transaction of a plan. */
class RolledBack extends Error {}

/**
 * In a transaction, because the lists of an embedded database are otherwise searched in another process, for few callers at once.
 */
export function readConfiguration({
	platform,
	caller,
	rows,
	transactionDb,
}: ConfigurationNeeds): Promise<State> {
	const { tenantId } = caller;
	const { publicUrl, clock } = platform;
	return platform.db.transaction((stores) =>
		transactionDb.within(stores, () =>
			readState({
				rows,
				tenantId,
				publicUrl,
				nowMs: clock(),
				async withApiClients(ids) {
					const usages = await stores.applications.listUsage(tenantId, ids);
					return new Set([...usages].filter(([, { apiClients }]) => apiClients > 0).map(([id]) => id));
				},
			}),
		),
	);
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
	const release = await turn.acquire();
	try {
		return (await plan(needs, document, prune)).plan;
	} finally {
		release();
	}
}

interface Planned {
	readonly plan: Plan;
	readonly state: State;
	readonly steps: readonly Step[];
}

async function plan(
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
	{ platform, rows, transactionDb }: ConfigurationNeeds,
	document: ParsedDocument,
	state: State,
	steps: readonly Step[],
	secretive: Set<Change>,
): Promise<Refused[]> {
	let refused: Refused[] = [];
	try {
		await platform.db.transaction((stores) =>
			transactionDb.within(stores, async () => {
				refused = [];
				const known = knownIds(state);
				for (const step of steps) {
					const error = await refusalOf(
						makeStep(step, rows, known).then((secret) => {
							if (secret !== undefined) secretive.add(step.change);
						}),
					);
					if (error === undefined) continue;
					const { path } = step.change;
					if (error.kind !== "forbidden") throw document.located(ofFile(error, path));
					refused.push({ path, error });
				}
				throw new RolledBack();
			}),
		);
	} catch (error) {
		if (!(error instanceof RolledBack)) throw error;
	}
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
function ofFile(error: AppError, path: readonly string[]): AppError {
	const place = path.join(".");
	const fields = error.fields.map((field) => ({
		...field,
		field: field.field === "" ? place : `${place}.${field.field}`,
	}));
	const kind = error.kind === "not_found" ? "conflict" : error.kind;
	return new AppError(error.code, `${place}: ${error.message}`, { kind, fields });
}

function knownIds(state: State): KnownIds {
	return new Map([...state.values()].map(({ path, ids }) => [keyOf(path), ids]));
}

/**
 * Plans, then makes each change in a transaction of its own, which first confirms that the resource is as it was planned.
 *
 * @throws AppError `config.changed` when the state has another digest than `expected`, `config.not_permitted` when the caller may
 * not make a change; and as `planConfiguration`. Nothing was written.
 */
export async function applyConfiguration(
	needs: ConfigurationNeeds,
	document: ParsedDocument,
	{ prune, expected }: { readonly prune: Prune | undefined; readonly expected: string | undefined },
): Promise<Applied> {
	const release = await turn.acquire();
	try {
		const planned = await plan(needs, document, prune, expected);
		const { refused } = planned.plan;
		if (refused.length > 0) throw notPermitted(refused);
		return await make(needs, document, planned);
	} finally {
		release();
	}
}

function notPermitted(refused: readonly Refused[]): AppError {
	const shown = refused.slice(0, 20).map(({ path, error }) => `${path.join(".")}: ${error.message}`);
	return new AppError("config.not_permitted", `you may not make these changes: ${shown.join("; ")}`);
}

async function make(
	needs: ConfigurationNeeds,
	document: ParsedDocument,
	{ plan, state, steps }: Planned,
): Promise<Applied> {
	const { platform, caller, rows, transactionDb } = needs;
	const known = knownIds(state);
	const made = new Set<Change>();
	const secrets: MadeSecret[] = [];
	let stopped: Refused | undefined;
	for (const step of steps) {
		const { change } = step;
		const error = await refusalOf(
			platform.db
				.transaction(async (stores) => {
					if (!made.has(change)) await confirm(needs, stores, change, known);
					return await transactionDb.within(stores, () => makeStep(step, rows, known));
				})
				.then((secret) => {
					if (secret !== undefined) secrets.push(secret);
				}),
		);
		if (error !== undefined) {
			stopped = { path: change.path, error: document.located(ofFile(error, change.path)) };
			break;
		}
		made.add(change);
	}
	const count = (sign: Change["sign"]): number => [...made].filter((change) => change.sign === sign).length;
	if (made.size > 0)
		await platform.db.transaction(({ audit }) =>
			audit.append(caller, "config.applied", named("tenant", caller.tenantId, ""), {
				digest: plan.digest,
				created: count("+"),
				changed: count("~"),
				removed: count("-"),
			}),
		);
	return { ...plan, made: [...made], secrets, stopped };
}

/** @throws AppError `config.changed`. */
async function confirm(
	needs: ConfigurationNeeds,
	stores: Stores,
	change: Change,
	known: KnownIds,
): Promise<void> {
	const { before, path, kind } = change;
	// A unique index decides about a new name; a PUT would replace what somebody else created.
	if (before === undefined && kindOf(kind).create?.startsWith("PUT ") !== true) return;
	const ids = idsOf(change, known);
	const now = await needs.transactionDb.within(stores, () =>
		readOne({ rows: needs.rows, publicUrl: needs.platform.publicUrl }, { kind, ids }),
	);
	const expected = before && completed(before);
	if (canonicalJson(now ?? null) !== canonicalJson(expected ?? null))
		throw new AppError("config.changed", `${path.join(".")} changed since it was planned`);
}
