// Every kind of mail with its parameters.

export const SECOND_FACTOR_CHANGES = [
	"totp_added",
	"totp_removed",
	"passkey_added",
	"passkey_removed",
	"recovery_codes_renewed",
	"reset",
] as const;
export type SecondFactorChange = (typeof SECOND_FACTOR_CHANGES)[number];

const TEXT: string = "";
const COUNT: number = 0;
const CHANGE = "reset" as SecondFactorChange;

/**
 * The parameters of every kind, each with a value of its type. To add a kind, add one entry here and one text file per
 * language in `features/record/mail/texts/`. Text that users entered can contain anything, so rendering removes its
 * links, except in the parameters that `unlinked.ts` exempts by name. `at` and names that end with `At` are ISO 8601
 * times; names that end with `Url` are links and may contain a token.
 */
export const MAIL_PARAMETERS = {
	/** To the applicant, immediately. `testUrl` is `""` if the tenant does not allow test clients. */
	access_request_receipt: { applicantName: TEXT, projectName: TEXT, withdrawUrl: TEXT, testUrl: TEXT },
	/** To each reviewer. */
	access_request_notice: {
		applicantName: TEXT,
		email: TEXT,
		company: TEXT,
		projectName: TEXT,
		purpose: TEXT,
		requestId: TEXT,
		reviewUrl: TEXT,
	},
	/** To the applicant. */
	access_request_approved: {
		/** The base URL of the API, without a path. */
		origin: TEXT,
		applicantName: TEXT,
		projectName: TEXT,
		reviewNote: TEXT,
		claimUrl: TEXT,
		claimExpiresAt: TEXT,
	},
	/** To the applicant. */
	access_request_rejected: { applicantName: TEXT, projectName: TEXT, reviewNote: TEXT },
	/** To each reviewer. `roles` is `""` for access without a role. */
	person_request_notice: {
		username: TEXT,
		applicationName: TEXT,
		roles: TEXT,
		reason: TEXT,
		endsAt: TEXT,
		reviewUrl: TEXT,
	},
	/** To the person. `roles` and `endsAt` as approved. */
	person_request_approved: { applicationName: TEXT, roles: TEXT, endsAt: TEXT, reviewNote: TEXT },
	/** To the person. */
	person_request_rejected: { applicationName: TEXT, reviewNote: TEXT },
	/** To a person. `ends` has one line for each application or group, with the date. */
	access_ends: { ends: TEXT, accessUrl: TEXT },
	/** To each reviewer of the applications. */
	access_ends_notice: { count: COUNT, ends: TEXT },
	/** To each reviewer. */
	program_request_notice: { programName: TEXT, host: TEXT, username: TEXT, reason: TEXT, reviewUrl: TEXT },
	/**
	 * To a reviewer, instead of the notices. Each link is one line: title, space, URL. `count` includes what is not
	 * listed.
	 */
	request_digest: { count: COUNT, partnerLinks: TEXT, programLinks: TEXT, personLinks: TEXT, queueUrl: TEXT },
	/** To each person who asked. */
	program_request_approved: { programName: TEXT, host: TEXT, reviewNote: TEXT },
	/** To each person who asked. */
	program_request_rejected: { programName: TEXT, host: TEXT, reviewNote: TEXT },
	/** To each reviewer. */
	program_changed: { programName: TEXT, host: TEXT, reviewUrl: TEXT, suspendAt: TEXT },
	/** To each reviewer, when a review begins. */
	review_opened: { reviewName: TEXT, items: COUNT, dueAt: TEXT, reviewUrl: TEXT },
	/** To each reviewer, before a review with open items closes. */
	review_due: { reviewName: TEXT, items: COUNT, dueAt: TEXT, reviewUrl: TEXT },
	/** To the owner of a client under review. */
	review_partner: { ownerName: TEXT, clientName: TEXT, dueAt: TEXT, answerUrl: TEXT },
	/** To each administrator. `consoleUrl` is where they see the domain. */
	domain_record_missing: { domain: TEXT, endsAt: TEXT, consoleUrl: TEXT },
	/** To each administrator, who then enables the provider. `email` signed in. */
	set_up_finished: { domain: TEXT, email: TEXT, consoleUrl: TEXT },
	/** To each administrator. */
	domain_lost: { domain: TEXT, consoleUrl: TEXT },
	/** To the address to verify. Not delivered after it expires. */
	registration_code: { code: TEXT, expiresInMinutes: COUNT },
	/** To the address of an account. Not delivered after it expires. */
	sign_in_code: { username: TEXT, code: TEXT, expiresInMinutes: COUNT },
	/** To the owner of an address that another registration used. */
	account_exists: { username: TEXT },
	/** To the owner of the client. Not delivered after it expires. */
	api_client_expires: { ownerName: TEXT, clientName: TEXT, expiresAt: TEXT },
	/** To the owner of the client, or else to each reviewer: `ownerName` is `""`. */
	api_client_dormant: { ownerName: TEXT, clientName: TEXT, disableAt: TEXT },
	/** To the owner of the client. `previousExpiresAt` is `""` if the old Secret stopped working immediately. */
	api_client_secret_rotated: {
		ownerName: TEXT,
		clientName: TEXT,
		at: TEXT,
		ip: TEXT,
		previousExpiresAt: TEXT,
	},
	/**
	 * To each reviewer, with the page that shows the key, and to the owner of the client without it. `heldAt` is `""` if the
	 * key signs immediately.
	 */
	api_client_key_added: {
		clientName: TEXT,
		keyId: TEXT,
		at: TEXT,
		ip: TEXT,
		heldAt: TEXT,
		reviewUrl: TEXT,
	},
	/** To the account's owner. */
	account_dormant: { username: TEXT, disableAt: TEXT, signInUrl: TEXT },
	/** To the account's owner. */
	password_changed: { username: TEXT, at: TEXT },
	/** To a new platform admin, whose existing sign-in methods were removed. */
	platform_admin_made: { username: TEXT, at: TEXT },
	/** To each administrator: a directory tried to disable or delete the last active one. */
	directory_last_admin: { directory: TEXT, at: TEXT },
	/** To a user for whom an administrator created an account. Not delivered after it expires. */
	invitation: { username: TEXT, inviteUrl: TEXT, expiresAt: TEXT },
	/** To the account's owner. Not delivered after it expires. */
	password_reset: { username: TEXT, resetUrl: TEXT, expiresInMinutes: COUNT },
	/** To the new address of an account. Not delivered after it expires. */
	email_change_code: { username: TEXT, code: TEXT, expiresInMinutes: COUNT },
	/** To the owner of an address that another user tried to change an account to. */
	email_change_taken: { username: TEXT },
	/** To the former address of an account. `restoreUrl` is `""` if the change cannot be undone. */
	email_changed: { username: TEXT, at: TEXT, restoreUrl: TEXT, restoreEndsAt: TEXT },
	/** To an address that was restored to its account. */
	email_restored: { username: TEXT, resetUrl: TEXT, expiresInMinutes: COUNT },
	/** To the account's owner. */
	new_device: { username: TEXT, device: TEXT, ip: TEXT, at: TEXT },
	/** To the person whose account a supporter begins to read. */
	support_session_opened: { username: TEXT, supporterName: TEXT, reason: TEXT, endsAt: TEXT },
	/** To the account's owner, who exported their data. */
	data_exported: { username: TEXT, at: TEXT, ip: TEXT },
	/** To the account's owner. `name` is the name of the passkey, or `""` for other factors. */
	second_factor_changed: { username: TEXT, at: TEXT, change: CHANGE, name: TEXT },
	/** To the account's owner. */
	recovery_code_used: { username: TEXT, at: TEXT, left: COUNT },
	/** To the account's owner, after repeated wrong codes that followed the correct password. */
	second_factor_guessed: { username: TEXT, at: TEXT },
	/** To each administrator. `userUrl` is the person's page. */
	second_factor_help: { username: TEXT, email: TEXT, at: TEXT, ip: TEXT, userUrl: TEXT },
	/** To the account's owner, at the same time. */
	second_factor_help_asked: { username: TEXT, at: TEXT, ip: TEXT },
	/** To the account's owner. `provider` is its display name. */
	third_party_account_linked: { username: TEXT, at: TEXT, provider: TEXT },
	/** To the address that an operator specifies. */
	test: { at: TEXT },
};

export type MailKind = keyof typeof MAIL_PARAMETERS;

/** A mail of one kind with its parameters: plain JSON, discriminated by `kind`, so that it can be stored. */
export type MailMessage<K extends MailKind = MailKind> = {
	[P in K]: { kind: P } & (typeof MAIL_PARAMETERS)[P];
}[K];
