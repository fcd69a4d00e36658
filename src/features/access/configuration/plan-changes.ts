// Compares the file with the configuration as it is: the changes, in the order of an apply.

import { permits } from "../../../domain/access.ts";
import { type FieldError, invalidField, invalidFields } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { WantedResource } from "./document-wire.ts";
import type { State, StoredResource } from "./read-state.ts";
import {
	canonicalJson,
	completed,
	type Fields,
	fieldsWhere,
	KINDS,
	type KindName,
	keyOf,
	kindOf,
	type Prune,
} from "./resource-table.ts";

export interface FieldChange {
	readonly field: string;
	/** Undefined: it did not exist. */
	readonly from: unknown;
	readonly to: unknown;
}

export interface Change {
	readonly sign: "+" | "~" | "-";
	readonly kind: KindName;
	readonly path: readonly string[];
	readonly fields: readonly FieldChange[];
	/** As it is; undefined for `+`. */
	readonly before: StoredResource | undefined;
	/** As the file wants it, with every default; undefined for `-`. */
	readonly after: Fields | undefined;
	/** What follows from it, in words. */
	readonly note?: string;
}

export interface Kept {
	readonly kind: KindName;
	readonly path: readonly string[];
	/** Why `prune` keeps it. */
	readonly inUse?: StoredResource["inUse"];
}

export interface Changes {
	readonly changes: readonly Change[];
	/** What the file does not name. */
	readonly kept: readonly Kept[];
	/** Under the new slugs. */
	readonly state: State;
}

export const CHANGES_MAX = 1_000;

/** @throws AppError `request.invalid` for a rename that is no longer true, a permission that a rule needs, or too many changes. */
export function planChanges(
	stored: State,
	wanted: readonly WantedResource[],
	prune: Prune | undefined,
): Changes {
	const state = renamed(stored, wanted);
	const kinds = Object.keys(KINDS) as KindName[];
	const byKind = Map.groupBy(wanted, ({ kind }) => kind);
	const changes: Change[] = [];
	for (const resource of kinds.flatMap((kind) => byKind.get(kind) ?? [])) {
		const change = changeOf(state.get(keyOf(resource.path)), resource);
		if (change === undefined) continue;
		changes.push(change);
		checkCount(changes);
	}
	const named = new Set(wanted.map(({ path }) => keyOf(path)));
	const unnamed = [...state.values()].filter(({ path }) => !named.has(keyOf(path)) && path.length > 1);
	const isAlone = ({ path }: StoredResource): boolean =>
		path.length === 2 || named.has(keyOf(path.slice(0, 2)));
	const rest = unnamed.filter(isAlone);
	const used = new Set(wanted.flatMap(usedBy).map(keyOf));
	const isRemoved = ({ path, inUse }: StoredResource): boolean =>
		!used.has(keyOf(path)) && (prune === "all" || (prune === "unused" && inUse === undefined));
	const removed = rest.filter(isRemoved).sort((a, b) => kinds.indexOf(b.kind) - kinds.indexOf(a.kind));
	for (const before of removed)
		changes.push({
			sign: "-",
			kind: before.kind,
			path: before.path,
			fields: [],
			before,
			after: undefined,
			...(before.kind === "application" && { note: REMOVAL }),
		});
	checkCount(changes);
	checkNeeds(state, wanted, removed);
	const kept = rest
		.filter((resource) => !isRemoved(resource))
		.map(({ kind, path, inUse }) => ({ kind, path, ...(inUse && { inUse }) }));
	return { changes, kept, state };
}

function checkCount({ length }: readonly Change[]): void {
	if (length > CHANGES_MAX) throw invalidField("document", "changes_max", { max: CHANGES_MAX });
}

/** What a resource of the file names, which is not removed even if the file has no entry for it. */
function usedBy({ kind, path, fields }: WantedResource): string[][] {
	if (kind === "grant") return [["groups", path[3] as string]];
	if (kind === "application") {
		const reviewers = (fields.requestable as { readonly reviewers?: string | null } | null)?.reviewers;
		return reviewers ? [["groups", reviewers]] : [];
	}
	if (kind !== "oauth_client") return [];
	const workloads = (fields.workloads ?? []) as readonly { readonly provider: string }[];
	return workloads.map(({ provider }) => ["identity_providers", provider]);
}

const REMOVAL =
	"its client_id and everything in it end; the same application under another slug gets a new client_id, unless renamed_from names this slug";

function changeOf(
	before: StoredResource | undefined,
	{ kind, path, fields, renamedFrom }: WantedResource,
): Change | undefined {
	const { key, writeOnly = [] } = kindOf(kind);
	const after = { ...completed({ kind, fields: { ...unlisted(before, fields), ...fields } }) };
	if (before === undefined) {
		return {
			sign: path.length === 1 ? "~" : "+",
			kind,
			path,
			fields: Object.keys(fields)
				.filter((name) => !writeOnly.includes(name))
				.sort()
				.map((field) => ({ field, from: undefined, to: after[field] })),
			before,
			after,
		};
	}
	const old = completed(before);
	const changed = Object.entries(after)
		.filter(([field, to]) => !writeOnly.includes(field) && canonicalJson(old[field]) !== canonicalJson(to))
		.map(([field, to]) => ({ field, from: old[field], to }));
	if (renamedFrom !== undefined && key !== undefined)
		changed.unshift({ field: key, from: renamedFrom, to: path.at(-1) });
	return changed.length === 0 ? undefined : { sign: "~", kind, path, fields: changed, before, after };
}

/** Fields without a default keep their value while the file omits them. */
function unlisted(before: StoredResource | undefined, given: Fields): Fields {
	if (before === undefined) return {};
	const known = kindOf(before.kind).defaults(given);
	return fieldsWhere(before.fields, (name) => !(name in known));
}

/** The state under the new slugs. */
function renamed(state: State, wanted: readonly WantedResource[]): State {
	const slugs = new Map<string, string>();
	const problems: FieldError[] = [];
	for (const { path, renamedFrom } of wanted) {
		if (renamedFrom === undefined) continue;
		const isTrue =
			state.has(keyOf(["applications", renamedFrom])) && !state.has(keyOf(path)) && !slugs.has(renamedFrom);
		if (isTrue) slugs.set(renamedFrom, path[1] as string);
		else problems.push({ field: `${path.join(".")}.renamed_from`, ...problem("not_renamed") });
	}
	if (problems.length > 0) throw invalidFields(problems);
	if (slugs.size === 0) return state;
	return new Map(
		[...state.values()].map((resource) => {
			const [section = "", name = "", ...rest] = resource.path;
			const slug = section === "applications" ? slugs.get(name) : undefined;
			const path = slug === undefined ? resource.path : [section, slug, ...rest];
			return [keyOf(path), { ...resource, path }];
		}),
	);
}

/**
 * A role that alone names a permission which a rule of a gate needs may not lose it: a `*` of another role would let the rule
 * stand, and close the path to everybody else.
 */
function checkNeeds(
	state: State,
	wanted: readonly WantedResource[],
	removed: readonly StoredResource[],
): void {
	const gone = new Set(removed.map(({ path }) => keyOf(path)));
	const after = new Map<string, Pick<StoredResource, "kind" | "path" | "fields">>();
	for (const [key, resource] of state) if (!gone.has(key)) after.set(key, resource);
	for (const resource of wanted) after.set(keyOf(resource.path), resource);
	const before = namedPermissions(state.values());
	const held = namedPermissions(after.values());
	const problems: FieldError[] = [];
	for (const { kind, path, fields } of after.values()) {
		if (kind !== "gate") continue;
		const slug = path[1] as string;
		for (const { needs } of (fields.rules ?? []) as readonly { needs: string }[]) {
			const names = (roles: readonly [string, readonly string[]][]) =>
				roles.filter(([, permissions]) => permissions.some((each) => each !== "*" && permits(each, needs)));
			if (names(held.get(slug) ?? []).length > 0) continue;
			const [role] = names(before.get(slug) ?? []);
			if (role !== undefined)
				problems.push({
					field: `applications.${slug}.roles.${role[0]}`,
					...problem("needed_by_gate", { permission: needs }),
				});
		}
	}
	if (problems.length > 0) throw invalidFields(problems.slice(0, 20));
}

/** The roles of each application, with their permissions. */
function namedPermissions(
	resources: Iterable<Pick<StoredResource, "kind" | "path" | "fields">>,
): Map<string, [string, readonly string[]][]> {
	const found = new Map<string, [string, readonly string[]][]>();
	for (const { kind, path, fields } of resources) {
		if (kind !== "role") continue;
		const [, slug = "", , role = ""] = path;
		const roles = found.get(slug) ?? [];
		roles.push([role, (fields.permissions ?? []) as readonly string[]]);
		found.set(slug, roles);
	}
	return found;
}
