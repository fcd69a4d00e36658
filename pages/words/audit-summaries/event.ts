// What a summary of an audit event is made of.

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
	/** The API's own: English, `""` for an action of another version. */
	readonly summary: string;
}
