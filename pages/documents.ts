// The documents that the service serves, one row each; the source of the HTML files, the served paths and the manifest.

import { ACCOUNT_PATHS } from "./account/paths.ts";
import { CONSOLE_PATHS } from "./console/paths.ts";

export interface PageDocument {
	/** Name of the HTML file and of its assets. */
	readonly name: string;
	/** The module that renders it, from this folder. Default: `<name>/main.tsx`. */
	readonly entry: string;
	/** Title until the language is known. */
	readonly title: string;
	/** Exact paths; `{id}` is one segment. Other paths return 404. Default: `/<name>`. */
	readonly paths: readonly string[];
	/** Search engines may index it. */
	readonly isIndexed?: boolean;
}

type Row = Pick<PageDocument, "name" | "title"> & Partial<PageDocument>;

const ROWS: readonly Row[] = [
	{ name: "account", title: "Your account", paths: ACCOUNT_PATHS },
	{ name: "home", title: "Latchkey", paths: ["/"], isIndexed: true },
	{ name: "portal", title: "Request API access", isIndexed: true },
	{ name: "claim", title: "Collect your API credentials" },
	{ name: "test-client", title: "Create a test client", entry: "claim/test-client-main.tsx" },
	{ name: "withdraw", title: "Withdraw your access request" },
	{ name: "still-needed", title: "Do you still need your API access?" },
	{ name: "set-up", title: "Set up your sign-in" },
	{ name: "docs", title: "API reference", isIndexed: true },
	{ name: "console", title: "Console", paths: CONSOLE_PATHS },
	{ name: "sign-in", title: "Sign in" },
	{ name: "sign-up", title: "Create an account", entry: "sign-in/sign-up-main.tsx" },
	{ name: "consent", title: "Allow access", entry: "sign-in/consent-main.tsx" },
	{ name: "program", title: "Review of a program" },
	{ name: "device", title: "Connect a device", paths: ["/oauth/device"] },
	{ name: "sign-out", title: "Sign out", paths: ["/sign-out", "/signed-out"] },
	{ name: "support", title: "Support session" },
	{ name: "reset", title: "Set a new password", entry: "mailed-links/reset-main.tsx" },
	{ name: "invite", title: "Accept the invitation", entry: "mailed-links/invite-main.tsx" },
	{ name: "restore-email", title: "Recover your account", entry: "mailed-links/restore-email-main.tsx" },
];

export const DOCUMENTS: readonly PageDocument[] = ROWS.map((row) => ({
	entry: `${row.name}/main.tsx`,
	paths: [`/${row.name}`],
	...row,
}));

/** Every component in every state: part of a build by `npm run pages` only. */
export const GALLERY: PageDocument = {
	name: "gallery",
	entry: "ui/gallery.tsx",
	title: "Gallery",
	paths: ["/gallery"],
};
