// The paths of the console, for the table of documents and for its screens. `{id}` is one segment.

export const CONSOLE_PATHS = [
	"/console",
	"/console/requests",
	"/console/requests/{id}",
	"/console/reviews",
	"/console/reviews/{id}",
	"/console/people",
	"/console/people/{id}",
	"/console/applications",
	"/console/applications/{id}",
	"/console/audit",
	"/console/refusals",
	"/console/support",
	"/console/groups",
	"/console/groups/{id}",
	"/console/webhooks",
	"/console/webhooks/{id}",
	"/console/mail",
	"/console/keys",
	"/console/providers",
	"/console/providers/{id}",
	"/console/branding",
	"/console/tenants",
	"/console/installation",
	"/console/programs",
	"/console/programs/{id}",
	"/console/clients",
	"/console/clients/{id}",
] as const;

export type ConsolePath = (typeof CONSOLE_PATHS)[number];
