// The object of an audited action: its noun and id, and its name at that time.

/** Nouns of targets. Trails are permanent: never change the meaning of a noun. */
export const AUDIT_NOUNS = {
	access_request: "the access request of",
	admin_key: "admin key",
	api_client: "API client",
	application: "application",
	application_role: "role",
	group: "group",
	identity_provider: "identity provider",
	mail: "mail",
	master_key: "master key",
	oauth_client: "the OAuth client of",
	session: "session",
	signing_key: "signing key",
	tenant: "tenant",
	user: "user",
	webhook: "the webhook of",
} as const;
export type AuditNoun = keyof typeof AUDIT_NOUNS;

export interface NamedTarget {
	/** `noun:<id>`, e.g. `user:0190…`. */
	readonly ref: `${AuditNoun}:${string}`;
	/** At the time of the event; `""` without a name. Never a secret: for a webhook, the host of its URL. */
	readonly name: string;
}

/** `""` if an action has no object, or an unknown one. */
export type AuditTarget = NamedTarget | "";

export function named(noun: AuditNoun, id: string, name: string): NamedTarget {
	return { ref: `${noun}:${id}`, name };
}

export function userTarget({
	id,
	username,
}: {
	readonly id: string;
	readonly username: string;
}): NamedTarget {
	return named("user", id, username);
}
