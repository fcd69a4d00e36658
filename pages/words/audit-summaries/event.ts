// The parts of an audit event that its summary uses.

export interface RecordedEvent {
	/** `noun:<id>`, `anonymous` or `system`. */
	readonly actor: string;
	readonly actor_name: string;
	readonly action: string;
	/** `noun:<id>` or `""`. */
	readonly target: string;
	readonly target_name: string;
	readonly details: Readonly<Record<string, unknown>>;
	/** `{ field: { from, to } }` */
	readonly changes: Readonly<Record<string, unknown>>;
	/** The API's English summary; `""` for an action of another version. */
	readonly summary: string;
}
