// The documents that the service serves, one row each; the source of the HTML files, the served paths and the manifest.

import { ACCOUNT_PATHS } from "./account/paths.ts";
import { CONSOLE_PATHS } from "./console/paths.ts";

export interface PageDocument {
	/** Name of the HTML file and of its assets. */
	readonly name: string;
	/** The module that renders it, from this folder. */
	readonly entry: string;
	/** Title until the language is known. */
	readonly title: string;
	/** Exact paths; `{id}` is one segment. Other paths return 404. */
	readonly paths: readonly string[];
	/** Search engines may index it. */
	readonly isIndexed?: boolean;
}

export const DOCUMENTS: readonly PageDocument[] = [
	{
		name: "account",
		entry: "account/main.tsx",
		title: "Your account",
		paths: ACCOUNT_PATHS,
	},
	{ name: "home", entry: "home/main.tsx", title: "Latchkey", paths: ["/"], isIndexed: true },
	{
		name: "portal",
		entry: "portal/main.tsx",
		title: "Request API access",
		paths: ["/portal"],
		isIndexed: true,
	},
	{ name: "claim", entry: "claim/main.tsx", title: "Collect your API credentials", paths: ["/claim"] },
	{
		name: "test-client",
		entry: "claim/test-client-main.tsx",
		title: "Create a test client",
		paths: ["/test-client"],
	},
	{
		name: "withdraw",
		entry: "withdraw/main.tsx",
		title: "Withdraw your access request",
		paths: ["/withdraw"],
	},
	{
		name: "still-needed",
		entry: "still-needed/main.tsx",
		title: "Do you still need your API access?",
		paths: ["/still-needed"],
	},
	{ name: "set-up", entry: "set-up/main.tsx", title: "Set up your sign-in", paths: ["/set-up"] },
	{ name: "docs", entry: "docs/main.tsx", title: "API reference", paths: ["/docs"], isIndexed: true },
	{ name: "console", entry: "console/main.tsx", title: "Console", paths: CONSOLE_PATHS },
	{ name: "sign-in", entry: "sign-in/main.tsx", title: "Sign in", paths: ["/sign-in"] },
	{
		name: "sign-up",
		entry: "sign-in/sign-up-main.tsx",
		title: "Create an account",
		paths: ["/sign-up"],
	},
	{
		name: "consent",
		entry: "sign-in/consent-main.tsx",
		title: "Allow access",
		paths: ["/consent"],
	},
	{
		name: "program",
		entry: "program/main.tsx",
		title: "Review of a program",
		paths: ["/program"],
	},
	{
		name: "device",
		entry: "device/main.tsx",
		title: "Connect a device",
		paths: ["/oauth/device"],
	},
	{
		name: "sign-out",
		entry: "sign-out/main.tsx",
		title: "Sign out",
		paths: ["/sign-out", "/signed-out"],
	},
	{ name: "support", entry: "support/main.tsx", title: "Support session", paths: ["/support"] },
	{
		name: "reset",
		entry: "mailed-links/reset-main.tsx",
		title: "Set a new password",
		paths: ["/reset"],
	},
	{
		name: "invite",
		entry: "mailed-links/invite-main.tsx",
		title: "Accept the invitation",
		paths: ["/invite"],
	},
	{
		name: "restore-email",
		entry: "mailed-links/restore-email-main.tsx",
		title: "Recover your account",
		paths: ["/restore-email"],
	},
];

/** Every component in every state: part of a build by `npm run pages` only. */
export const GALLERY: PageDocument = {
	name: "gallery",
	entry: "ui/gallery.tsx",
	title: "Gallery",
	paths: ["/gallery"],
};
