// What an audit event allows to restore: the values before and after it, and the row of the map that writes them.

import type { AuditEvent } from "../../../domain/audit.ts";
import { type AuditChanges, type AuditValue, cut, isCut } from "../../../domain/audit-changes.ts";
import { type GateRule, parseRuleText, ruleText } from "../../../domain/gate-rule.ts";
import type { GrantSubject } from "../../../domain/grant.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isoTimeOrNull } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Rows of the map, as the configuration calls them. */
export interface RestoringRows {
	read(row: string, ids: Readonly<Record<string, string>>): Promise<unknown>;
	change(row: string, ids: Readonly<Record<string, string>>, body: Values | undefined): Promise<Values>;
	admit(row: string): Promise<void>;
}

export interface Restorable {
	/** By field, as the trail has them; null if the record did not exist. */
	readonly before: Values | null;
	readonly after: Values | null;
	readonly row: string;
	readonly ids: Readonly<Record<string, string>>;
	/** What the change depends on; null if the record does not exist. @throws AppError if it cannot be restored then. */
	read(stores: Stores<"grants">, rows: RestoringRows): Promise<Values | null>;
	/** Undefined for a removal. */
	bodyOf(now: Values | null): Values | undefined;
}

type Event = Pick<AuditEvent, "tenantId" | "action"> & {
	readonly id: string;
	readonly details: Values;
	readonly changes: AuditChanges;
};

/** @throws AppError `audit_event.not_restorable`, `audit_event.not_recorded`. */
export function restorableOf(stored: AuditEvent): Restorable {
	const [noun = "", id = ""] = stored.target.split(":");
	const details = parseJson(isMembers, stored.details);
	const event = { ...stored, id, details, changes: JSON.parse(stored.changes) as AuditChanges };
	const [of, verb] = stored.action.split(".");
	if (of === "grant" && Object.hasOwn(GRANT_PLACES, noun)) {
		const states = GRANT_STATES[verb as keyof typeof GRANT_STATES];
		if (states !== undefined) return ofGrant(event, noun as GrantNoun, states(event));
	} else if (verb === "updated" && RECORDS[of as keyof typeof RECORDS] !== undefined)
		return RECORDS[of as keyof typeof RECORDS](event);
	throw new AppError(
		"audit_event.not_restorable",
		"only changes of access, of roles, of clients, and of gates can be restored",
	);
}

type States = Pick<Restorable, "before" | "after">;

const GRANT_STATES = {
	created: ({ details }: Event): States => ({ before: null, after: granted(details) }),
	updated: changed,
	removed: ({ details }: Event): States => {
		// Earlier versions did not record what was removed.
		if (!Array.isArray(details.roles)) throw notRecorded(["roles"]);
		return { before: granted(details), after: null };
	},
};

/** Also of a grant that the API returns. */
function granted({ roles, expires_at = null, reason = "" }: Values): Values {
	return { roles: sorted(roles), expires_at, reason };
}

function sorted(roles: unknown): readonly string[] {
	return (roles as readonly string[]).toSorted();
}

type GrantNoun = keyof typeof GRANT_PLACES;
const GRANT_PLACES = {
	user: "users/{user_id}",
	group: "groups/{group_id}",
	api_client: "api-clients/{client_id}",
	oauth_client: "programs/{application_id}",
} as const;

function ofGrant({ tenantId, id, details }: Event, noun: GrantNoun, states: States): Restorable {
	const appId = String(details.app_id);
	const kind: GrantSubject["kind"] = noun === "oauth_client" ? "program" : noun;
	const place = GRANT_PLACES[noun];
	const { before } = states;
	return {
		...states,
		row: `${before === null ? "DELETE" : "PUT"} /api/v1/applications/{id}/grants/${place}`,
		ids: { id: appId, [place.slice(place.indexOf("{") + 1, -1)]: id },
		async read({ grants }) {
			const grant = await grants.find(tenantId, appId, { kind, id });
			if (grant !== undefined) return granted({ ...grant, expires_at: isoTimeOrNull(grant.expiresAtMs) });
			if (before === null || states.after === null) return null;
			throw new AppError("grant.not_found", "there is no grant to change any more: restore its removal");
		},
		bodyOf: (now) => (before === null ? undefined : { roles: now?.roles ?? [], ...before }),
	};
}

const RECORDS = {
	application_role: (event: Event): Restorable => {
		const ids = { id: String(event.details.app_id), role_id: event.id };
		const states = changed(event);
		return {
			...states,
			row: "PATCH /api/v1/applications/{id}/roles/{role_id}",
			ids,
			async read(_, rows) {
				const roles = (await rows.read("GET /api/v1/applications/{id}/roles", { id: ids.id })) as Values[];
				const role = roles.find(({ id }) => id === ids.role_id);
				if (role === undefined)
					throw new AppError("application_role.not_found", "this application has no such role");
				return pick(role, states.after);
			},
			bodyOf: () => states.before,
		};
	},
	oauth_client: (event: Event): Restorable =>
		ofPatch("/api/v1/applications/{id}/oauth-client", event, ["assertion_audiences", "claims"]),
	api_client: (event: Event): Restorable => {
		const restorable = ofPatch("/api/v1/api-clients/{id}", event);
		const { status, ...others } = restorable.before ?? {};
		if (status !== "unclaimed") return restorable;
		// An unclaimed client that is enabled again is unclaimed, and only its claim activates it.
		const bodyOf = (now: Values | null) =>
			now?.status === "unclaimed" ? others : { ...others, status: "active" };
		return { ...restorable, bodyOf };
	},
	gate: (event: Event): Restorable => {
		const row = "PUT /api/v1/applications/{id}/gate";
		const states = changed(event);
		return {
			...states,
			row,
			ids: { id: event.id },
			async read(_, rows) {
				const { rules, ...gate } = (await rows.read(row.replace("PUT", "GET"), { id: event.id })) as Values;
				const { accept, browser_origin, statement, own_tokens, cors_origins } = gate;
				const lines = (rules as readonly GateRule[]).map(ruleText);
				return { rules: lines, accept, browser_origin, statement, own_tokens, cors_origins };
			},
			bodyOf(now) {
				const all = { ...now, ...states.before };
				return { ...all, rules: (all.rules as readonly string[]).map(parseRuleText) };
			},
		};
	},
};

/** @param shortened fields of which the trail has only a part */
function ofPatch(path: string, event: Event, shortened: readonly string[] = []): Restorable {
	const states = changed(event, shortened);
	const ids = { id: event.id };
	return {
		...states,
		row: `PATCH ${path}`,
		ids,
		read: async (_, rows) => pick((await rows.read(`GET ${path}`, ids)) as Values, states.after),
		bodyOf: () => states.before,
	};
}

function pick(record: Values, fields: Values): Values {
	return Object.fromEntries(Object.keys(fields).map((name) => [name, record[name]]));
}

/** @throws AppError `audit_event.not_recorded`. */
function changed({ details, changes }: Event, shortened: readonly string[] = []) {
	const names = Array.isArray(details.fields) ? (details.fields as readonly string[]) : ["roles"];
	const all = Object.entries(changes);
	const absent = all.length === 0 || Array.isArray(details.fields) ? names : [];
	const missing = [
		...absent.filter((name) => !(name in changes)),
		...all.filter(([name, { from }]) => isCut(from) || shortened.includes(name)).map(([name]) => name),
	];
	if (missing.length > 0) throw notRecorded(missing);
	const side = (of: "from" | "to"): Values =>
		Object.fromEntries(
			all.map(([name, change]) => [name, name === "roles" ? sorted(change[of]) : change[of]]),
		);
	return { before: side("from"), after: side("to") };
}

function notRecorded(fields: readonly string[]): AppError {
	return new AppError(
		"audit_event.not_recorded",
		`the trail does not have the former value of ${fields.join(", ")}`,
		{ fields: fields.map((field) => ({ field, ...problem("not_in_trail") })) },
	);
}

/** Whether a value is the one that an event recorded, perhaps cut. */
export function isRecorded(value: unknown, recorded: unknown): boolean {
	return JSON.stringify(cut(value as AuditValue)) === JSON.stringify(recorded);
}
