// What a configuration file holds: for each kind of resource, its rows of the map, its defaults, and its place in the file.

import { UNSET_BRAND } from "../../../domain/brand.ts";
import { CALLER_KINDS } from "../../../domain/gate.ts";
import {
	CLIENT_DEFAULTS,
	type OAuthClientType,
	RESPONSE_MODES_OF_TYPE,
} from "../../../domain/oauth-client.ts";
import { TENANT_SETTINGS } from "../../../domain/tenant.ts";
import { wireFields, withoutAbsent } from "../../../kernel/changes.ts";

/** In bytes of UTF-8. */
export const DOCUMENT_MAX_BYTES = 1_048_576;
/** Where editors find the JSON Schema of the file. */
export const SCHEMA_PATH = "/docs/config.schema.json";

/** `unused`: removes what the file does not name, except applications in use; `all`: those too. */
export const PRUNE = ["unused", "all"] as const;
export type Prune = (typeof PRUNE)[number];

/** Fields of the API, in `snake_case`. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Kind {
	/** Rows of the map, by method and path. Of one row that creates and replaces, `create` is also `update`. */
	readonly create?: string;
	readonly update: string;
	readonly remove?: string;
	/** The field that names the resource: its key in the file. */
	readonly key?: string;
	/** The values of absent fields. A field that is absent here is always written to the file, and kept while the file omits it. */
	defaults(fields: Fields): Fields;
	/** Lists whose order means nothing. */
	readonly unordered?: readonly string[];
	/** Set once every resource of this kind, or of `laterThan`, exists, because they name each other. */
	readonly later?: readonly string[];
	readonly laterThan?: string;
	/** Given in the file and never returned: used when the resource is created. */
	readonly writeOnly?: readonly string[];
	/** Fields of the row that a file cannot have. */
	readonly omitted?: readonly string[];
	/** The field of the response that contains a made secret, once. */
	readonly secret?: string;
	/** Fields with the URL of an image. One that was uploaded stays, and is not in the file. */
	readonly images?: readonly string[];
}

const APPLICATION = "/api/v1/applications/{id}";

/** In the order of an apply. Removals follow, in the reverse order. */
export const KINDS = {
	group: {
		create: "POST /api/v1/groups",
		update: "PATCH /api/v1/groups/{id}",
		remove: "DELETE /api/v1/groups/{id}",
		key: "name",
		defaults: () => ({ description: "" }),
	},
	identity_provider: {
		create: "POST /api/v1/identity-providers",
		update: "PATCH /api/v1/identity-providers/{id}",
		remove: "DELETE /api/v1/identity-providers/{id}",
		key: "provider",
		defaults: ({ uses = ["sign_in"] }) => ({
			uses: ["sign_in"],
			client_id: null,
			issuer: null,
			jwks_uri: null,
			jwks: null,
			audience: null,
			subject_claim: "sub",
			mfa_acr: [],
			email_domains: (uses as string[]).includes("assertions") ? "verified" : "any",
			enabled: true,
			sign_up: false,
		}),
		unordered: ["uses", "mfa_acr"],
		writeOnly: ["client_secret"],
		omitted: ["force"],
	},
	application: {
		create: "POST /api/v1/applications",
		update: `PATCH ${APPLICATION}`,
		remove: `DELETE ${APPLICATION}`,
		key: "slug",
		defaults: () => ({
			description: "",
			homepage_url: "",
			logo_url: "",
			redirect_uris: [],
			access_policy: "assigned",
			status: "active",
			require_mfa: false,
			support_sessions: false,
			requestable: null,
		}),
		unordered: ["redirect_uris"],
		later: ["requestable"],
		laterThan: "role",
		images: ["logo_url"],
	},
	role: {
		create: `POST ${APPLICATION}/roles`,
		update: `PATCH ${APPLICATION}/roles/{role_id}`,
		remove: `DELETE ${APPLICATION}/roles/{role_id}`,
		key: "name",
		defaults: () => ({ description: "", permissions: [], permission_descriptions: [] }),
		unordered: ["permissions"],
	},
	oauth_client: {
		create: `PUT ${APPLICATION}/oauth-client`,
		update: `PATCH ${APPLICATION}/oauth-client`,
		remove: `DELETE ${APPLICATION}/oauth-client`,
		defaults: ({ type }) => ({
			auth_method: type === "web" || type === "service" ? "client_secret_basic" : "none",
			...wireFields(CLIENT_DEFAULTS),
			response_modes: RESPONSE_MODES_OF_TYPE[type as OAuthClientType] ?? [],
		}),
		unordered: ["post_logout_redirect_uris", "response_modes", "allowed_resources", "acts_for_people"],
		later: ["allowed_resources", "acts_for_people"],
		secret: "client_secret",
	},
	gate: {
		create: `PUT ${APPLICATION}/gate`,
		update: `PUT ${APPLICATION}/gate`,
		remove: `DELETE ${APPLICATION}/gate`,
		defaults: ({ own_tokens: ownTokens }) => ({
			accept: CALLER_KINDS.filter((kind) => ownTokens !== true || kind !== "program"),
			browser_origin: null,
			statement: false,
			own_tokens: false,
			cors_origins: [],
		}),
		unordered: ["accept", "cors_origins"],
		secret: "gate_key",
	},
	grant: {
		create: `PUT ${APPLICATION}/grants/groups/{group_id}`,
		update: `PUT ${APPLICATION}/grants/groups/{group_id}`,
		remove: `DELETE ${APPLICATION}/grants/groups/{group_id}`,
		defaults: () => ({}),
		unordered: ["roles"],
		// An end and a reason are those of the grant, not of the configuration.
		omitted: ["expires_at", "reason"],
	},
	manager: {
		create: `PUT ${APPLICATION}/managers/{user_id}`,
		update: `PUT ${APPLICATION}/managers/{user_id}`,
		remove: `DELETE ${APPLICATION}/managers/{user_id}`,
		defaults: () => ({}),
	},
	webhook: {
		create: "POST /api/v1/webhooks",
		update: "PATCH /api/v1/webhooks/{id}",
		remove: "DELETE /api/v1/webhooks/{id}",
		key: "url",
		defaults: () => ({ description: "", status: "active" }),
		unordered: ["event_types"],
		secret: "secret",
	},
	branding: {
		update: "PUT /api/v1/branding",
		defaults: () => wireFields(UNSET_BRAND),
		images: ["logo_url", "logo_dark_url", "icon_url"],
	},
	tenant: {
		update: "PATCH /api/v1/tenants/{id}",
		defaults: () => wireFields(TENANT_SETTINGS),
		unordered: ["sender_addresses"],
		omitted: ["name", "slug"],
	},
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;

export function kindOf(name: KindName): Kind {
	return KINDS[name];
}

/** `groups`, then the name: where the resources of a kind are. Those of an application are within it. */
export const SECTIONS = {
	groups: "group",
	identity_providers: "identity_provider",
	applications: "application",
	webhooks: "webhook",
} as const satisfies Readonly<Record<string, KindName>>;

/** The parts of an application with a name each, and those that it has once. */
export const NAMED_PARTS = { roles: "role", grants: "grant" } as const satisfies Readonly<
	Record<string, KindName>
>;
export const SINGLE_PARTS = ["oauth_client", "gate"] as const satisfies readonly KindName[];
/** What a tenant has once. */
export const SINGLES = ["branding", "tenant"] as const satisfies readonly KindName[];

/** A resource as it is or as the file wants it. */
export interface Resource {
	readonly kind: KindName;
	/** In the file, such as `["applications", "shop", "gate"]`. */
	readonly path: readonly string[];
	readonly fields: Fields;
}

export function keyOf(path: readonly string[]): string {
	return JSON.stringify(path);
}

/** What people may request: without the order of its roles. */
function terms(requestable: unknown): Fields {
	if (typeof requestable !== "object" || requestable === null || !("roles" in requestable)) return {};
	const roles = [...(requestable.roles as readonly string[])].sort();
	return { requestable: { reviewers: null, ...requestable, roles } };
}

/** With every default, in the form in which two resources are compared. */
export function completed({ kind, fields }: Pick<Resource, "kind" | "fields">): Fields {
	const { defaults, unordered = [] } = kindOf(kind);
	const given = withoutAbsent(fields);
	const all = Object.entries({ ...defaults(given), ...given, ...terms(given.requestable) });
	return Object.fromEntries(
		all.map(([name, value]) => [
			name,
			unordered.includes(name) && Array.isArray(value) ? [...value].sort() : value,
		]),
	);
}

/** Without those that equal their defaults, which rows that create or replace set themselves. */
export function withoutDefaults({ kind, fields }: Pick<Resource, "kind" | "fields">): Fields {
	const defaults = completed({ kind, fields: kindOf(kind).defaults(fields) });
	const isDefault = (name: string, value: unknown): boolean =>
		name in defaults && canonicalJson(value) === canonicalJson(defaults[name]);
	return fieldsWhere(fields, (name, value) => !isDefault(name, value));
}

export function fieldsWhere(fields: Fields, isKept: (name: string, value: unknown) => boolean): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([name, value]) => isKept(name, value)));
}

/** JSON with sorted keys: equal for equal values. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(sorted(value));
}

export function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
