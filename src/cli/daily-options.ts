// Options shared by the commands of daily work.

export const TENANT = ["--tenant <slug>", "the tenant", "default"] as const;
export const LIMIT = ["--limit <number>", "maximum number of rows to print", "100"] as const;
export const SCOPE = ["--scope <scopes...>", "what the client may call; default: all read scopes"] as const;
export const ALLOW = [
	"--allow <addresses...>",
	"IP addresses and CIDRs it may call from; default: any",
] as const;
export const EXPIRES = ["--expires <time>", "ISO 8601 with a zone; default: never"] as const;
