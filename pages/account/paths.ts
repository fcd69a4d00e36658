// The paths of the own account, for the table of documents and for its screens.

export const ACCOUNT_PATHS = [
	"/account",
	"/account/security",
	"/account/sessions",
	"/account/access",
] as const;

export type AccountPath = (typeof ACCOUNT_PATHS)[number];
