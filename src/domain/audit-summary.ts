// Describes audit events in words: fills the text of the action.

import { hasOwn } from "../kernel/shape.ts";
import { AUDIT_NOUNS, type AuditEvent } from "./audit.ts";
import { ACTION_TEXTS, RETIRED_AUDIT_ACTIONS } from "./audit-action.ts";
import { type AuditChanges, type AuditValue, cutText } from "./audit-changes.ts";

/** Of an event that changed nothing but the roles of a grant. */
const ROLES_TEXT = "{actor} changed {whose_roles} in {app_name|an application}";
const OF_OTHERS = /\[([^[\]]*)\]/;

/** `{name}` or `{name|default}`. */
const PLACE = /\{(\w+)(?:\|([^}]*))?\}/g;

/** Changed fields, and letters of a value, that a summary shows. */
const FIELDS_MAX = 5;
const VALUE_MAX = 60;

export interface EventToSummarize
	extends Pick<AuditEvent, "actor" | "actorName" | "action" | "target" | "targetName"> {
	readonly details: Readonly<Record<string, unknown>>;
	readonly changes: AuditChanges;
}

/** One English sentence of at most about 1,200 characters; `""` for an action of another version. */
export function summaryOf({ action: recorded, details, changes, ...event }: EventToSummarize): string {
	const action = hasOwn(RETIRED_AUDIT_ACTIONS, recorded) ? RETIRED_AUDIT_ACTIONS[recorded] : recorded;
	if (!hasOwn(ACTION_TEXTS, action)) return "";
	const { roles, ...otherChanges } = changes;
	const isOfRoles =
		action === "grant.updated" && roles !== undefined && Object.keys(otherChanges).length === 0;
	const template = isOfRoles ? ROLES_TEXT : ACTION_TEXTS[action];
	const person = event.target.startsWith("user:") ? event.targetName : "";
	const words: Readonly<Record<string, unknown>> = {
		...details,
		scopes: scopeWords(details.scopes),
		actor: actorWords(event),
		target: (template.startsWith("{target}") && person) || targetWords(event),
		whose_roles: person === "" ? `the roles of ${targetWords(event)}` : `${cutText(person)}'s roles`,
	};
	// By a function, because a name may hold `$&`, and in one pass, because it may hold `{target}`.
	const text = template
		.replace(OF_OTHERS, event.actor === event.target ? "" : "$1")
		.replaceAll(PLACE, (_, name: string, otherwise = "") => {
			const value = words[name];
			return typeof value === "string" && value !== "" ? cutText(value) : otherwise;
		});
	const isName = text.startsWith(words.actor as string) || (person !== "" && text.startsWith(person));
	const what = isOfRoles ? `: ${valueWords(roles.from)} → ${valueWords(roles.to)}` : changeWords(changes);
	return `${isName ? text : capital(text)}${what}`;
}

/** `openid profile` as a list. */
function scopeWords(scopes: unknown): unknown {
	return typeof scopes === "string" ? scopes.replaceAll(" ", ", ") : scopes;
}

function capital(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** At the start of a sentence: a username stays as it is. */
function actorWords({ actor, actorName }: Pick<EventToSummarize, "actor" | "actorName">): string {
	const { noun, id } = parts(actor);
	if (noun === "cli") return `${id} (command line)`;
	if (noun === "directory") return `${capital(AUDIT_NOUNS.directory)} ${actorName || id}`;
	if (noun === "key") return `${capital(AUDIT_NOUNS.admin_key)} ${actorName || id}`;
	if (noun === "user" && actorName !== "") return actorName;
	if (id !== "") return `${capital(nounWords(noun))} ${actorName || id}`;
	return actor === "system" ? "The service" : "A visitor";
}

function targetWords({ target, targetName }: Pick<EventToSummarize, "target" | "targetName">): string {
	const { noun, id } = parts(target);
	return id === "" ? "an unknown account" : `${nounWords(noun)} ${targetName || id}`;
}

function parts(ref: string): { readonly noun: string; readonly id: string } {
	const colon = ref.indexOf(":");
	return colon === -1 ? { noun: ref, id: "" } : { noun: ref.slice(0, colon), id: ref.slice(colon + 1) };
}

function nounWords(noun: string): string {
	return Object.hasOwn(AUDIT_NOUNS, noun)
		? AUDIT_NOUNS[noun as keyof typeof AUDIT_NOUNS]
		: noun.replaceAll("_", " ");
}

function changeWords(changes: AuditChanges): string {
	const all = Object.entries(changes);
	if (all.length === 0) return "";
	const shown = all
		.slice(0, FIELDS_MAX)
		.map(([field, { from, to }]) => `${field} from ${valueWords(from)} to ${valueWords(to)}`);
	const more = all.length > FIELDS_MAX ? `, and ${all.length - FIELDS_MAX} more` : "";
	return `: ${shown.join(", ")}${more}`;
}

function valueWords(value: AuditValue): string {
	const text = typeof value === "object" && value !== null ? value.join(" ") : String(value ?? "");
	return text === "" ? "nothing" : cutText(text, VALUE_MAX);
}
