// Old and new values of changed fields, bounded for the audit trail.

export type AuditValue = string | number | boolean | null | readonly string[];

/** By wire field. Contains only fields that a use case lists: never a secret, never an email address. */
export type AuditChanges = Readonly<Record<string, { readonly from: AuditValue; readonly to: AuditValue }>>;

/** Longer names and texts are truncated, in UTF-16 units. */
export const AUDIT_TEXT_MAX = 200;
/** Further entries of a list are omitted. */
const ENTRIES_MAX = 20;
/** The maximum size of the stored JSON text, in bytes. */
export const AUDIT_CHANGES_MAX = 4096;

/** Ends with `…` when truncated. */
export function cutText(text: string, max = AUDIT_TEXT_MAX): string {
	// PostgreSQL cannot store half of a surrogate pair.
	return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * Returns JSON text of at most `AUDIT_CHANGES_MAX` bytes: long texts and lists are truncated, and fields that do not
 * fit are omitted (`details.fields` still names them).
 */
export function changesText(changes: AuditChanges): string {
	const kept: Record<string, AuditChanges[string]> = {};
	let text = "{}";
	for (const [field, { from, to }] of Object.entries(changes)) {
		const change = { from: cut(from), to: cut(to) };
		const longer = JSON.stringify({ ...kept, [field]: change });
		if (Buffer.byteLength(longer) > AUDIT_CHANGES_MAX) continue;
		kept[field] = change;
		text = longer;
	}
	return text;
}

/** Whether something of a recorded value may be missing. */
export function isCut(value: AuditValue): boolean {
	if (typeof value === "string") return value.endsWith("…") && value.length >= AUDIT_TEXT_MAX - 1;
	if (value === null || typeof value !== "object") return false;
	return (value.length > ENTRIES_MAX && value.at(-1) === "…") || value.some(isCut);
}

/** A value as it is recorded. */
export function cut(value: AuditValue): AuditValue {
	if (typeof value === "string") return cutText(value);
	if (value === null || typeof value !== "object") return value;
	const entries = value.slice(0, ENTRIES_MAX).map((entry) => cutText(entry));
	return value.length > ENTRIES_MAX ? [...entries, "…"] : entries;
}
