// Makes the changes of a plan.

import { named } from "../../../domain/audit.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError } from "../../../kernel/error.ts";
import {
	type ConfigurationNeeds,
	knownIds,
	ofFile,
	type Plan,
	type Planned,
	plan,
	type Refused,
	refusalOf,
	turn,
} from "./configure.ts";
import type { ParsedDocument } from "./document-wire.ts";
import { idsOf, type KnownIds, type MadeSecret, makeStep } from "./make-change.ts";
import type { Change } from "./plan-changes.ts";
import { readOne } from "./read-state.ts";
import { canonicalJson, completed, kindOf, type Prune } from "./resource-table.ts";

export interface Applied extends Plan {
	/** Those that were made, in their order. */
	readonly made: readonly Change[];
	readonly secrets: readonly MadeSecret[];
	/** Why it ended early; the changes before it stay. */
	readonly stopped: Refused | undefined;
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
	// A unique index decides about a new name; a PUT would replace what another caller created.
	if (before === undefined && kindOf(kind).create?.startsWith("PUT ") !== true) return;
	const ids = idsOf(change, known);
	const now = await needs.transactionDb.within(stores, () =>
		readOne({ rows: needs.rows, publicUrl: needs.platform.publicUrl }, { kind, ids }),
	);
	const expected = before && completed(before);
	if (canonicalJson(now ?? null) !== canonicalJson(expected ?? null))
		throw new AppError("config.changed", `${path.join(".")} changed since it was planned`);
}
