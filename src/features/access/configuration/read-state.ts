// Reads the configuration of a tenant as it is.

import { AppError } from "../../../kernel/error.ts";
import { completed, type Fields, type KindName, keyOf, kindOf, type Resource } from "./resource-table.ts";
import type { Ids, Rows } from "./rows-wire.ts";

export interface StoredResource extends Resource {
	/** The ids of the path of its rows. */
	readonly ids: Ids;
	/** Values that the file does not show and that a replacement keeps: uploaded images. */
	readonly kept: Fields;
	/** Why `prune` leaves it alone. */
	readonly inUse?: "api_clients" | "recent_sign_in";
}

/** By `keyOf(path)`. */
export type State = ReadonlyMap<string, StoredResource>;

/** The section of the file, and the record in it by name or id, that are read; undefined: all. */
export interface Part {
	readonly section?: string | undefined;
	readonly name?: string | undefined;
	readonly id?: string | undefined;
}

export interface StateNeeds {
	readonly rows: Rows;
	readonly tenantId: string;
	readonly publicUrl: string;
	readonly nowMs: number;
	readonly part: Part;
	/** Whether managers are read. */
	readonly people: boolean;
	/** The applications with API clients, of these. */
	readonly withApiClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

const APPLICATION = "/api/v1/applications/{id}";
const RECENT_MS = 90 * 86_400_000;

export async function readState(needs: StateNeeds): Promise<State> {
	const { rows, tenantId, nowMs, part, people } = needs;
	const state = new Map<string, StoredResource>();
	const names = new Map<string, string>();
	const isRead = ([section, name]: readonly string[], { id }: Ids): boolean =>
		(part.section ?? section) === section && (part.name ?? name) === name && (part.id ?? id) === id;
	const add = (kind: KindName, path: readonly string[], wire: Fields, ids: Ids, extra: object = {}): void => {
		if (!isRead(path, ids)) return;
		// Of several webhooks with one URL, the last one stays, which is the oldest.
		state.set(keyOf(path), { kind, path, ids, ...shown(needs, kind, named(kind, wire, names)), ...extra });
	};
	const list = async (row: string, ids: Ids = {}, query: Fields = {}) =>
		(await rows.read(row, ids, query)) as readonly Record<string, unknown>[];
	for (const group of await list("GET /api/v1/groups")) {
		names.set(text(group.id), text(group.name));
		add("group", ["groups", text(group.name)], group, { id: text(group.id) });
	}
	for (const provider of await list("GET /api/v1/identity-providers")) {
		names.set(text(provider.id), text(provider.provider));
		add("identity_provider", ["identity_providers", text(provider.provider)], provider, {
			id: text(provider.id),
		});
	}
	const all = await list("GET /api/v1/applications");
	// Those of partners and programs come from requests that were decided.
	const applications = all.filter(
		(each) =>
			each.kind === "application" &&
			each.access_request_id === null &&
			isRead(["applications", text(each.slug)], { id: text(each.id) }),
	);
	const withApiClients = await needs.withApiClients(applications.map(({ id }) => text(id)));
	for (const { id } of applications) {
		const ids = { id: text(id) };
		const application = (await rows.read(ONE.application, ids)) as Fields;
		const path = ["applications", text(application.slug)];
		const lastSignIn = application.last_sign_in_at;
		const isRecent = typeof lastSignIn === "string" && Date.parse(lastSignIn) > nowMs - RECENT_MS;
		const inUse = withApiClients.has(ids.id) ? "api_clients" : isRecent ? "recent_sign_in" : undefined;
		add("application", path, application, ids, inUse && { inUse });
		// At once: a database server then has one round trip of them.
		const [roles, grants, client, gate, managers] = await Promise.all([
			list(ONE.role, ids),
			list(ONE.grant, ids, { kind: "group" }),
			application.has_oauth_client === true
				? (rows.read(ONE.oauth_client, ids) as Promise<Fields>)
				: undefined,
			application.has_gate === true ? (rows.read(ONE.gate, ids) as Promise<Fields>) : undefined,
			people ? list(ONE.manager, ids) : [],
		]);
		for (const role of roles)
			add("role", [...path, "roles", text(role.name)], role, { ...ids, role_id: text(role.id) });
		if (client !== undefined) add("oauth_client", [...path, "oauth_client"], client, ids);
		if (gate !== undefined) add("gate", [...path, "gate"], gate, ids);
		for (const grant of grants) {
			const grantIds = { ...ids, group_id: text(grant.group_id) };
			add("grant", [...path, "grants", text(grant.group_name)], grant, grantIds);
		}
		for (const manager of managers)
			add("manager", [...path, "managers", text(manager.username)], manager, {
				...ids,
				user_id: text(manager.user_id),
			});
	}
	const webhooks = await list("GET /api/v1/webhooks");
	for (const webhook of [...webhooks].sort((a, b) => (text(a.created_at) < text(b.created_at) ? 1 : -1)))
		add("webhook", ["webhooks", text(webhook.url)], webhook, { id: text(webhook.id) });
	add("branding", ["branding"], ownTexts((await rows.read(ONE.branding, {})) as Fields), {});
	const tenant = (await rows.read(ONE.tenant, { id: tenantId })) as Fields;
	add("tenant", ["tenant"], tenant, { id: tenantId });
	return state;
}

const ONE: Readonly<Record<KindName, string>> = {
	group: "GET /api/v1/groups/{id}",
	identity_provider: "GET /api/v1/identity-providers/{id}",
	application: `GET ${APPLICATION}`,
	role: `GET ${APPLICATION}/roles`,
	oauth_client: `GET ${APPLICATION}/oauth-client`,
	gate: `GET ${APPLICATION}/gate`,
	grant: `GET ${APPLICATION}/grants`,
	manager: `GET ${APPLICATION}/managers`,
	webhook: "GET /api/v1/webhooks/{id}",
	branding: "GET /api/v1/branding",
	tenant: "GET /api/v1/tenants/{id}",
};

/** One resource as it is now, with every default; undefined without it. */
export async function readOne(
	needs: Pick<StateNeeds, "rows" | "publicUrl">,
	{ kind, ids }: Pick<StoredResource, "kind" | "ids">,
): Promise<Fields | undefined> {
	const { rows } = needs;
	const read = await orAbsent(rows.read(ONE[kind], ids, kind === "grant" ? { kind: "group" } : {}));
	const ofIds = (each: Fields): boolean => {
		if (kind === "manager") return each.user_id === ids.user_id;
		return kind === "role" ? each.id === ids.role_id : each.group_id === ids.group_id;
	};
	const wire = Array.isArray(read) ? (read as Fields[]).find(ofIds) : read;
	if (wire === undefined) return undefined;
	const own = kind === "branding" ? ownTexts(wire) : named(kind, wire, await namesOf(rows, kind));
	return completed({ kind, fields: shown(needs, kind, own).fields });
}

function ownTexts(brand: Fields): Fields {
	return Object.fromEntries((brand.customized as string[]).map((name) => [name, brand[name]]));
}

/** By id, of what such a resource may name. */
async function namesOf(rows: Rows, kind: KindName): Promise<ReadonlyMap<string, string>> {
	if (kind === "application") {
		const groups = (await rows.read("GET /api/v1/groups", {})) as readonly Fields[];
		return new Map(groups.map(({ id, name }) => [text(id), text(name)]));
	}
	if (kind !== "oauth_client") return new Map();
	const providers = (await rows.read("GET /api/v1/identity-providers", {})) as readonly Fields[];
	return new Map(providers.map(({ id, provider }) => [text(id), text(provider)]));
}

async function orAbsent(reading: Promise<unknown>): Promise<Fields | undefined> {
	try {
		return (await reading) as Fields;
	} catch (error) {
		if (error instanceof AppError && error.kind === "not_found") return undefined;
		throw error;
	}
}

/** The fields that the file may have, with images that were uploaded apart. */
function shown(
	{ rows, publicUrl }: Pick<StateNeeds, "rows" | "publicUrl">,
	name: KindName,
	wire: Fields,
): { fields: Fields; kept: Fields } {
	const kind = kindOf(name);
	const fields: Record<string, unknown> = {};
	const kept: Record<string, unknown> = {};
	for (const field of fieldNames(rows, name)) {
		const value = wire[field];
		if (value === undefined || kind.writeOnly?.includes(field) === true) continue;
		const isUploaded = kind.images?.includes(field) === true && String(value).startsWith(`${publicUrl}/`);
		(isUploaded ? kept : fields)[field] = value;
	}
	return { fields, kept };
}

/** The fields of the bodies of the rows, without the name. */
export function fieldNames(rows: Pick<Rows, "schemaOf">, name: KindName): string[] {
	const { create, update, key, omitted = [] } = kindOf(name);
	const bodies = [...new Set([...(create === undefined ? [] : [create]), update])];
	const all = bodies.flatMap((row) => Object.keys(rows.schemaOf(row).properties));
	return [...new Set(all)].filter((field) => field !== key && !omitted.includes(field));
}

/** The file names the provider of a workload, and the group that reviews requests. @param names by id */
function named(kind: KindName, wire: Fields, names: ReadonlyMap<string, string>): Fields {
	const requestable = wire.requestable as { readonly reviewers?: string | null } | null | undefined;
	if (kind === "application" && requestable)
		return {
			...wire,
			requestable: { ...requestable, reviewers: names.get(requestable.reviewers ?? "") ?? null },
		};
	if (kind !== "oauth_client") return wire;
	const workloads = (wire.workloads as readonly { issuer_id: string }[]).map(
		({ issuer_id: id, ...rest }) => ({
			provider: names.get(id) ?? "",
			...rest,
		}),
	);
	return { ...wire, workloads };
}

function text(value: unknown): string {
	if (typeof value !== "string") throw new Error("a record has no name or id");
	return value;
}
