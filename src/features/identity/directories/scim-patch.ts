// Changes an object by the operations of a PATCH (RFC 7644, section 3.5.2), in the forms that Entra ID and Okta send.

import type { ScimAttributes } from "../../../domain/directory.ts";
import {
	attributePath,
	FILTER_MAX,
	meetsFilter,
	memberNamed,
	parseFilter,
	type ScimFilter,
} from "../../../domain/scim-filter.ts";
import { AppError } from "../../../kernel/error.ts";
import { isMembers } from "../../../kernel/shape.ts";

export const OPERATIONS_MAX = 100;
/** Also of attributes without a path; each searches the names of the others. */
const ATTRIBUTES_MAX = 1_000;
/** Of a list of a person. */
const VALUES_MAX = 1_000;
const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:patchop";
/** Their values are lists, to which `add` adds, and of which `remove` may name values. */
const MULTI_VALUED =
	/^(?:emails|phonenumbers|addresses|members|roles|entitlements|ims|photos|x509certificates)$/;
/** Okta repeats them; they are decided here. */
const IGNORED = /^(?:id|meta|schemas|groups|password)$/;
/** Filter of a path that describes the value to be created: `type eq "work"`. */
const PATH = /^([^[\]]+)(?:\[([^[\]]*)\])?(?:\.([\w$-]+))?$/;

/** One operation on one attribute. */
export interface PatchOperation {
	readonly op: "add" | "replace" | "remove";
	/** Names of attributes; the URN of an extension is one name. */
	readonly path: readonly string[];
	/** Selects values of a multi-valued attribute. */
	readonly filter: ScimFilter | undefined;
	/** The attribute of the selected values. */
	readonly tail: string | undefined;
	readonly value: unknown;
}

/**
 * The operations of a body, those without a path as one for each attribute of their value. `op` has any case, as Entra ID
 * sends it. Leaves out read-only attributes.
 *
 * @throws AppError `scim.invalid_syntax`, `scim.invalid_path`, `scim.invalid_value`, `scim.invalid_filter`, `scim.no_target`.
 */
export function readOperations(body: unknown): PatchOperation[] {
	const { schemas, Operations: operations } = isMembers(body) ? body : {};
	const isPatch = (name: unknown): boolean => typeof name === "string" && name.toLowerCase() === PATCH_SCHEMA;
	if (!Array.isArray(schemas) || !schemas.some(isPatch))
		throw syntax("schemas must contain urn:ietf:params:scim:api:messages:2.0:PatchOp");
	if (!Array.isArray(operations) || operations.length === 0 || operations.length > OPERATIONS_MAX)
		throw syntax(`Operations must be a list of 1 to ${OPERATIONS_MAX} operations`);
	const read = operations.flatMap(readOperation);
	if (read.length > ATTRIBUTES_MAX)
		throw syntax(`Operations must change at most ${ATTRIBUTES_MAX} attributes`);
	return read.filter(({ path }) => !IGNORED.test((path[0] ?? "").toLowerCase()));
}

function readOperation(operation: unknown): PatchOperation[] {
	if (!isMembers(operation)) throw syntax("an operation must be an object");
	const { path = "", value } = operation;
	const op = typeof operation.op === "string" ? operation.op.toLowerCase() : "";
	if (op !== "add" && op !== "replace" && op !== "remove")
		throw syntax(`op must be add, replace, or remove, not ${op.slice(0, 50)}`);
	if (typeof path !== "string") throw invalidPath("path must be a text");
	if (path !== "") return [at(op, path, value)];
	if (op === "remove") throw new AppError("scim.no_target", "remove needs a path");
	if (!isMembers(value)) throw invalidValue("value must be an object where path is absent");
	// Entra ID sends keys with dots and URNs here.
	return Object.entries(value).map(([name, each]) => at(op, name, each));
}

function at(op: PatchOperation["op"], text: string, value: unknown): PatchOperation {
	const [, head, filter, tail] = text.length > FILTER_MAX ? [] : (PATH.exec(text) ?? []);
	if (head === undefined) throw invalidPath(`${text.slice(0, 100)} is not a path`);
	if (filter === undefined)
		return { op, path: attributePath(text), filter: undefined, tail: undefined, value };
	if (tail !== undefined) attributePath(tail);
	return { op, path: attributePath(head), filter: parseFilter(filter), tail, value };
}

/**
 * The attributes after the operations; the given ones are unchanged.
 *
 * @throws AppError `scim.no_target`.
 */
export function applyOperations(
	attributes: ScimAttributes,
	operations: readonly PatchOperation[],
): ScimAttributes {
	const changed = structuredClone(attributes) as Attributes;
	for (const operation of operations) apply(changed, operation);
	return changed;
}

type Attributes = Record<string, unknown>;

function apply(root: Attributes, operation: PatchOperation): void {
	const { op, path, filter, value } = operation;
	const holder = holderOf(root, path.slice(0, -1), op !== "remove");
	if (holder === undefined) return;
	const name = path.at(-1) ?? "";
	const key = memberNamed(holder, name) ?? name;
	if (filter !== undefined) {
		applyToSelected(holder, key, operation, filter);
		return;
	}
	const stored = holder[key];
	const isMulti = MULTI_VALUED.test(name.toLowerCase());
	if (op === "remove") {
		// Entra ID names the values to remove: `{ "op": "Remove", "path": "members", "value": [{ "value": "…" }] }`.
		if (isMulti && Array.isArray(value) && value.length > 0) {
			const removed = new Set(value.map(identityOf));
			holder[key] = listOf(stored).filter((each) => !removed.has(identityOf(each)));
		} else delete holder[key];
	} else if (isMulti) holder[key] = op === "add" ? joined(listOf(stored), listOf(value)) : listOf(value);
	else if (op === "add" && isMembers(stored) && isMembers(value)) holder[key] = { ...stored, ...value };
	else holder[key] = value;
}

/** The object that holds an attribute; undefined if there is none and none is to be created. */
function holderOf(root: Attributes, path: readonly string[], creates: boolean): Attributes | undefined {
	let holder = root;
	for (const name of path) {
		const key = memberNamed(holder, name) ?? name;
		const next = holder[key];
		if (isMembers(next)) holder = next as Attributes;
		else if (!creates) return undefined;
		else {
			const created: Attributes = {};
			holder[key] = created;
			holder = created;
		}
	}
	return holder;
}

function applyToSelected(
	holder: Attributes,
	key: string,
	operation: PatchOperation,
	filter: ScimFilter,
): void {
	const { op, tail, value } = operation;
	const values = listOf(holder[key]);
	const selected = values.filter((each) => meetsFilter(filter, each));
	if (op === "remove" && tail === undefined) {
		holder[key] = values.filter((each) => !selected.includes(each));
		return;
	}
	// Entra ID sets `emails[type eq "work"].value` before there is such a value.
	if (selected.length === 0 && op !== "remove") {
		const created = described(filter);
		if (created === undefined)
			throw new AppError("scim.no_target", "no value matches the filter of the path");
		values.push(created);
		selected.push(created);
	}
	holder[key] = values;
	for (const each of selected) {
		if (!isMembers(each)) continue;
		const target = each as Attributes;
		if (tail === undefined) Object.assign(target, isMembers(value) ? value : { value });
		else if (op === "remove") delete target[memberNamed(target, tail) ?? tail];
		else target[memberNamed(target, tail) ?? tail] = value;
	}
}

/** The value that a filter of equalities describes. */
function described(filter: ScimFilter): Attributes | undefined {
	if (filter.op === "eq" && filter.path.length === 1) return { [filter.path[0] as string]: filter.value };
	if (filter.op !== "and") return undefined;
	const [left, right] = [described(filter.left), described(filter.right)];
	return left && right && { ...left, ...right };
}

function listOf(value: unknown): unknown[] {
	const values = value === undefined || value === null ? [] : [value].flat();
	if (values.length > VALUES_MAX) throw invalidValue(`a list must have at most ${VALUES_MAX} values`);
	return values;
}

/** What makes two values of a list equal. */
function identityOf(value: unknown): unknown {
	if (isMembers(value) && "value" in value) return value.value;
	return typeof value === "object" ? JSON.stringify(value) : value;
}

function joined(before: readonly unknown[], added: readonly unknown[]): unknown[] {
	const seen = new Set(before.map(identityOf));
	const isNew = (value: unknown): boolean =>
		!seen.has(identityOf(value)) && seen.add(identityOf(value)) !== undefined;
	return [...before, ...added.filter(isNew)];
}

export function syntax(message: string): AppError {
	return new AppError("scim.invalid_syntax", message);
}

export function invalidValue(message: string): AppError {
	return new AppError("scim.invalid_value", message);
}

function invalidPath(message: string): AppError {
	return new AppError("scim.invalid_path", message);
}
