// Options that several commands of daily work have.

export const TENANT = ["--tenant <slug>", "the tenant it belongs to", "default"] as const;
export const LIMIT = ["--limit <number>", "how many to print at most", "100"] as const;
export const SCOPE = [
	"--scope <scopes...>",
	"what the client may call; default: all reading scopes",
] as const;
export const ALLOW = [
	"--allow <addresses...>",
	"addresses and CIDRs it may call from; default: any",
] as const;
export const EXPIRES = ["--expires <time>", "ISO 8601 with a zone; default: never"] as const;
