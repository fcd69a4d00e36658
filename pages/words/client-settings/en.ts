// Words of what an API client may do, from where and until when.

import { format } from "../format.ts";

export default {
	application: "Application",
	newApplication: "A new application, named after the project",
	existingApplication: "An application that exists",
	findApplication: "Find an application by name",
	noApplication: "No active application has this name.",
	moreApplications: (count: number) =>
		format.plural(count, {
			one: "One more. Type more of the name.",
			other: "# more. Type more of the name.",
		}),
	scopes: "Scopes",
	noScopes: "Without a scope the client can only call whoami.",
	scopeNames: {
		"users:read": "Read users",
		"access:check": "Check access to its application",
		"third-party:read": "Find users by linked account",
		"access:check:tenant": "Check access to every application",
		"sign-in:relay": "Sign users in from its server",
	},
	scopeHints: {
		"users:read": "name, e-mail address and status of a user, by id",
		"access:check": "whether a user may use the client's application, and with which permissions",
		"third-party:read": "the user who linked an account of a provider",
		"access:check:tenant": "as above, for all applications of the tenant",
		"sign-in:relay": "the server passes on passwords, and names the address of the user",
	},
	allowlist: "Addresses it may call from",
	allowlistHint: "Addresses or CIDR ranges, one a line, at most 100. Empty: any address.",
	covered: "What each entry covers",
	checked: (count: number, invalid: number) =>
		`${format.plural(count, { one: "# entry", other: "# entries" })}, ${invalid === 0 ? "all valid" : `${format.number(invalid)} not valid`}`,
	addresses: (freeBits: number) =>
		freeBits > 53
			? `2^${freeBits} addresses`
			: format.plural(2 ** freeBits, { one: "# address", other: "# addresses" }),
	coveredBy: (entry: string) => `Already covered by ${entry}`,
	everyAddress: "Every address of this version",
	tooManyEntries: (count: number) => `At most 100 entries; these are ${format.number(count)}.`,
	problems: {
		hostBits: (range: string) => `Host bits are set. The range is ${range}.`,
		prefix: (least: number, most: number) => `The prefix is not valid. Write /${least} to /${most}.`,
		leadingZero: "A part has a leading zero.",
		zone: "A zone id means nothing on another machine.",
		noAddress: "This is not an IPv4 or IPv6 address or CIDR range.",
	},
	expiry: "Expires",
	never: "Never",
	afterDays: (days: number) => (days === 365 ? "In a year" : `In ${format.number(days)} days`),
	onDay: "On a day",
	until: (date: string) => `Valid until the end of ${date}.`,
	lastDay: "Last day",
	lastDayHint: "Valid until the end of this day, in the time zone of this browser.",
};
