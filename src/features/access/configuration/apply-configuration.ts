// Makes the changes of a plan.

import { named } from "../../../domain/audit.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { ManagedIds } from "../../../domain/tenant.ts";
import { AppError } from "../../../kernel/error.ts";
import {
	type ConfigurationNeeds,
	knownIds,
	ofFile,
	type Plan,
	type Planned,
	plan,
	type Refused,
	takeTurn,
} from "./configure.ts";
import type { ParsedDocument } from "./document-wire.ts";
import { idsOf, type KnownIds, type MadeSecret, makeStep } from "./make-change.ts";
import type { Change } from "./plan-changes.ts";
import { readOne } from "./read-state.ts";
import { canonicalJson, completed, type KindName, keyOf, kindOf, type Prune } from "./resource-table.ts";

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
	const release = await takeTurn();
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
	const { platform, rows, transactionDb } = needs;
	const known = knownIds(state);
	const made = new Set<Change>();
	const secrets: MadeSecret[] = [];
	const record = (stores: Stores, changes: ReadonlySet<Change>) =>
		recordApply(needs, stores, {
			digest: plan.digest,
			changes,
			managed: managedBy(document, known, needs.caller.tenantId),
		});
	let stopped: Refused | undefined;
	for (const step of steps) {
		const { change } = step;
		const after = new Set(made).add(change);
		try {
			const secret = await platform.db.transaction(async (stores) => {
				if (!made.has(change)) await confirm(needs, stores, change, known);
				const secret = await transactionDb.within(stores, () => makeStep(step, rows, known));
				if (step === steps.at(-1)) await record(stores, after);
				return secret;
			});
			if (secret !== undefined) secrets.push(secret);
		} catch (error) {
			stopped = { path: change.path, error: document.located(stopOf(needs, error, change, made)) };
			break;
		}
		made.add(change);
	}
	if (stopped === undefined && steps.length > 0) return { ...plan, made: [...made], secrets, stopped };
	try {
		await platform.db.transaction((stores) => record(stores, made));
	} catch (error) {
		// The response has secrets that nothing else has.
		if (stopped === undefined) throw error;
		platform.log.error({ err: error }, "an apply of a configuration could not be recorded");
	}
	return { ...plan, made: [...made], secrets, stopped };
}

/** @throws the error if it wrote nothing, so that nothing is lost with it, and the database was unavailable or the error is a bug. */
function stopOf(
	{ platform }: ConfigurationNeeds,
	error: unknown,
	{ path }: Change,
	made: ReadonlySet<Change>,
): AppError {
	const isRefusal = error instanceof AppError && error.kind !== "unavailable";
	if (isRefusal) return ofFile(error, path);
	if (made.size === 0) throw error;
	platform.log.error({ err: error }, "an apply of a configuration stopped");
	return error instanceof AppError ? error : new AppError("server.internal", "Internal server error");
}

/** The ids of the records that the file has. */
function managedBy({ resources }: ParsedDocument, known: KnownIds, tenantId: string): ManagedIds {
	const idsOfKind = (kind: KindName): ReadonlySet<string> => {
		const ids = resources.filter((each) => each.kind === kind).map(({ path }) => known.get(keyOf(path))?.id);
		return new Set(ids.filter((id) => id !== undefined));
	};
	return {
		groups: idsOfKind("group"),
		identityProviders: idsOfKind("identity_provider"),
		applications: idsOfKind("application"),
		webhooks: idsOfKind("webhook"),
		tenants: idsOfKind("tenant"),
		brandings: new Set(resources.some(({ kind }) => kind === "branding") ? [tenantId] : []),
	};
}

async function recordApply(
	{ caller }: ConfigurationNeeds,
	{ audit, tenants }: Stores<"audit" | "tenants">,
	applied: {
		readonly digest: string;
		readonly changes: ReadonlySet<Change>;
		readonly managed: ManagedIds;
	},
): Promise<void> {
	const { digest, changes, managed } = applied;
	const marked = await tenants.markManaged(caller.tenantId, managed);
	if (changes.size + marked === 0) return;
	const count = (sign: Change["sign"]): number =>
		[...changes].filter((change) => change.sign === sign).length;
	await audit.append(caller, "config.applied", named("tenant", caller.tenantId, ""), {
		digest,
		created: count("+"),
		changed: count("~"),
		removed: count("-"),
	});
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
	if (before === undefined && (kind === "manager" || kindOf(kind).create?.startsWith("PUT ") !== true))
		return;
	const ids = idsOf(change, known);
	const now = await needs.transactionDb.within(stores, () =>
		readOne({ rows: needs.rows, publicUrl: needs.platform.publicUrl }, { kind, ids }),
	);
	const expected = before && completed(before);
	if (canonicalJson(now ?? null) !== canonicalJson(expected ?? null))
		throw new AppError("config.changed", `${path.join(".")} changed since it was planned`);
}
