// Makes one change of a plan, by the rows of the map that make this change alone.

import { invalidField } from "../../../kernel/error.ts";
import type { Change } from "./plan-changes.ts";
import { type Fields, fieldsWhere, KINDS, keyOf, kindOf, withoutDefaults } from "./resource-table.ts";
import type { Ids, Rows } from "./rows-wire.ts";

/** A row that a change calls, with its body. */
export interface Step {
	readonly row: string;
	readonly change: Change;
	readonly body: Fields | undefined;
	/** Whether its response is that of a new resource. */
	readonly creates: boolean;
	/** Names resources that earlier steps make. */
	readonly isLater: boolean;
}

/** The secret that a change made, to be shown once. */
export interface MadeSecret {
	/** Of the resource, in the file. */
	readonly path: readonly string[];
	readonly secretPlain: string;
}

/** The steps of the changes in their order: what names other resources of its kind comes after all of them. */
export function stepsOf(changes: readonly Change[], rows: Pick<Rows, "schemaOf">): Step[] {
	const kinds = Object.keys(KINDS);
	const steps: Step[] = [];
	let later: Step[] = [];
	for (const change of changes) {
		const isDue = ({ change: { kind } }: Step): boolean =>
			change.after === undefined ||
			kinds.indexOf(change.kind) > kinds.indexOf(kindOf(kind).laterThan ?? kind);
		steps.push(...later.filter(isDue));
		later = later.filter((step) => !isDue(step));
		for (const step of stepsOfOne(change, rows)) (step.isLater ? later : steps).push(step);
	}
	return [...steps, ...later];
}

function stepsOfOne(change: Change, rows: Pick<Rows, "schemaOf">): Step[] {
	const { kind, after, before } = change;
	const { create, update, remove, key, later = [] } = kindOf(kind);
	const step = (row: string, body: Fields | undefined, creates = false): Step => ({
		row,
		change,
		body,
		creates,
		isLater: body !== undefined && !creates && later.some((field) => field in body),
	});
	if (after === undefined) return remove === undefined ? [] : [step(remove, undefined)];
	const name = key === undefined ? {} : { [key]: change.path.at(-1) };
	if (before === undefined && create !== undefined) {
		const own = fieldsWhere(after, (name) => !later.includes(name));
		const ofCreate = { ...accepted(rows, create, withoutDefaults({ kind, fields: own })), ...name };
		const known = rows.schemaOf(create).properties;
		const defaults = kindOf(kind).defaults(after);
		const rest = fieldsWhere(after, (field, value) =>
			later.includes(field) ? isSet(value) : !(field in known) && value !== defaults[field],
		);
		return [step(create, ofCreate, true), ...(Object.keys(rest).length === 0 ? [] : [step(update, rest)])];
	}
	// A PUT replaces all.
	if (update.startsWith("PUT ")) {
		// Images that were uploaded stay unless the file sets another one.
		const kept = fieldsWhere(before?.kept ?? {}, (name) => !after[name]);
		const all = { ...withoutDefaults({ kind, fields: after }), ...kept };
		return [step(update, accepted(rows, update, all))];
	}
	const changed = Object.fromEntries(change.fields.map(({ field, to }) => [field, to]));
	const now = fieldsWhere(changed, (name) => !later.includes(name));
	const then = fieldsWhere(changed, (name) => later.includes(name));
	return [now, then].filter((body) => Object.keys(body).length > 0).map((body) => step(update, body));
}

function isSet(value: unknown): boolean {
	return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
}

function accepted(rows: Pick<Rows, "schemaOf">, row: string, fields: Fields): Fields {
	const known = rows.schemaOf(row).properties;
	return fieldsWhere(fields, (name) => name in known);
}

/** The ids of resources by their place in the file, those made by earlier changes included. */
export type KnownIds = Map<string, Ids>;

/** @returns the secret that it made. @throws AppError of the row, with fields of the file */
export async function makeStep(
	{ row, change, body, creates }: Step,
	rows: Rows,
	known: KnownIds,
): Promise<MadeSecret | undefined> {
	const { kind, path } = change;
	const { key = "", secret } = kindOf(kind);
	const ids = kind === "manager" ? await idsOfManager(change, rows, known) : idsOf(change, known);
	const made = await rows.change(row, ids, body && withIds(change, body, known));
	// Under another name than it is stored, the next apply would create it once more.
	const name = made[key];
	if (typeof name === "string" && name !== path.at(-1)) throw invalidField("", "stored_name", { name });
	if (creates && kind !== "manager") known.set(keyOf(path), madeIds(change, made, known));
	const secretPlain = secret === undefined ? undefined : made[secret];
	return typeof secretPlain === "string" ? { path, secretPlain } : undefined;
}

export function idsOf({ kind, path, before }: Change, known: KnownIds): Ids {
	const own = known.get(keyOf(path)) ?? before?.ids;
	if (own !== undefined) return own;
	if (path.length < 3) return {};
	const application = known.get(keyOf(path.slice(0, 2)))?.id ?? "";
	if (kind !== "grant") return { id: application };
	const group = known.get(keyOf(["groups", path[3] as string]));
	if (group === undefined) throw invalidField("", "unknown_group");
	return { id: application, group_id: group.id as string };
}

async function idsOfManager({ path, before }: Change, rows: Rows, known: KnownIds): Promise<Ids> {
	if (before !== undefined) return before.ids;
	const username = path.at(-1) as string;
	const [user] = (await rows.read("GET /api/v1/users", {}, { username })) as readonly Fields[];
	if (user === undefined) throw invalidField("", "unknown_user");
	return { id: known.get(keyOf(path.slice(0, 2)))?.id ?? "", user_id: String(user.id) };
}

function madeIds(change: Change, made: Fields, known: KnownIds): Ids {
	const { kind, path } = change;
	const id = String(made.id);
	if (kind === "role") return { id: known.get(keyOf(path.slice(0, 2)))?.id ?? "", role_id: id };
	return path.length === 2 ? { id } : idsOf(change, known);
}

/** The API names the provider of a workload, and the reviewers of an application, by their ids. */
function withIds({ kind }: Change, body: Fields, known: KnownIds): Fields {
	const requestable = body.requestable as { readonly reviewers?: string | null } | null | undefined;
	if (kind === "application" && typeof requestable?.reviewers === "string") {
		const id = known.get(keyOf(["groups", requestable.reviewers]))?.id;
		if (id === undefined) throw invalidField("requestable.reviewers", "unknown_group");
		return { ...body, requestable: { ...requestable, reviewers: id } };
	}
	if (kind !== "oauth_client" || !Array.isArray(body.workloads)) return body;
	const workloads = (body.workloads as readonly { provider: string }[]).map(
		({ provider, ...rest }, index) => {
			const id = known.get(keyOf(["identity_providers", provider]))?.id;
			if (id === undefined) throw invalidField(`workloads.${index}.provider`, "unknown_provider");
			return { issuer_id: id, ...rest };
		},
	);
	return { ...body, workloads };
}
