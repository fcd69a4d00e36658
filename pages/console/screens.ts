// The screens of the console, one row each: path, who may open it, its words, its code, and its place in the navigation.

import type { ComponentType } from "preact";
import type { Role } from "../api/session.ts";
import {
	application,
	brush,
	building,
	danger,
	group,
	home,
	type IconShape,
	inbox,
	key,
	link,
	list,
	mail,
	people,
	robot,
	server,
	shield,
	webhook,
} from "../ui/icons.ts";
import type { Area, WordsOf } from "../words/words.ts";
import type { ConsolePath } from "./paths.ts";
import { PLATFORM_ADMIN } from "./roles.ts";
import type { ScreenProps } from "./screen-props.ts";

export interface ConsoleScreen {
	readonly path: ConsolePath;
	/** The user needs one of them. */
	readonly roles: readonly Role[];
	/** Loaded with the code. */
	readonly words: readonly Area[];
	readonly load: () => Promise<ComponentType<ScreenProps>>;
	/** Screens with the same value keep their state when the path changes from one to the other. */
	readonly shared?: string;
	/** Undefined for record screens, which are reached from a list. */
	readonly navigation?: {
		readonly section: keyof WordsOf<"console">["sections"];
		readonly label: keyof WordsOf<"console">["screens"];
		readonly icon: IconShape;
		/** Opens it after `g`; unique. */
		readonly key: string;
	};
}

const ADMIN = ["admin", "platform_admin"] as const satisfies readonly Role[];
const READERS = [...ADMIN, "auditor"] as const satisfies readonly Role[];
export const REVIEWERS = [...ADMIN, "reviewer", "auditor"] as const satisfies readonly Role[];

const requests = {
	roles: REVIEWERS,
	words: ["console-partners"],
	shared: "requests",
	load: () => import("./requests/requests.tsx").then((module) => module.Requests),
} satisfies Omit<ConsoleScreen, "path">;

export const SCREENS: readonly ConsoleScreen[] = [
	{
		path: "/console",
		roles: REVIEWERS,
		words: [],
		load: () => import("./overview/overview.tsx").then((module) => module.Overview),
		navigation: { section: "work", label: "overview", icon: home, key: "o" },
	},
	{
		...requests,
		path: "/console/requests",
		navigation: { section: "work", label: "requests", icon: inbox, key: "r" },
	},
	{ ...requests, path: "/console/requests/{id}" },
	{
		path: "/console/reviews",
		roles: READERS,
		words: ["console-reviews"],
		load: () => import("./reviews/reviews.tsx").then((module) => module.Reviews),
		navigation: { section: "people", label: "reviews", icon: shield, key: "v" },
	},
	{
		path: "/console/reviews/{id}",
		roles: REVIEWERS,
		words: ["console-reviews"],
		load: () => import("./reviews/review.tsx").then((module) => module.ReviewScreen),
	},
	{
		path: "/console/people",
		roles: READERS,
		words: ["console-people", "console-access"],
		load: () => import("./people/people.tsx").then((module) => module.People),
		navigation: { section: "people", label: "people", icon: people, key: "p" },
	},
	{
		path: "/console/people/{id}",
		roles: READERS,
		words: ["console-people", "console-access", "audit-summaries"],
		load: () => import("./people/person.tsx").then((module) => module.Person),
	},
	{
		path: "/console/applications",
		roles: READERS,
		words: ["console-access"],
		load: () => import("./applications/applications.tsx").then((module) => module.Applications),
		navigation: { section: "people", label: "applications", icon: application, key: "a" },
	},
	{
		path: "/console/applications/{id}",
		roles: READERS,
		words: ["console-access", "console-gate", "console-refusals", "console-workloads"],
		load: () => import("./applications/application.tsx").then((module) => module.Application),
	},
	{
		path: "/console/groups",
		roles: READERS,
		words: ["console-access"],
		load: () => import("./groups/groups.tsx").then((module) => module.Groups),
		navigation: { section: "people", label: "groups", icon: group, key: "g" },
	},
	{
		path: "/console/groups/{id}",
		roles: READERS,
		words: ["console-access"],
		load: () => import("./groups/group.tsx").then((module) => module.Group),
	},
	{
		path: "/console/audit",
		roles: READERS,
		words: ["console-audit", "audit-summaries"],
		load: () => import("./audit/audit.tsx").then((module) => module.Audit),
		navigation: { section: "record", label: "audit", icon: list, key: "l" },
	},
	{
		path: "/console/refusals",
		roles: READERS,
		words: ["console-refusals", "console-partners"],
		load: () => import("./refusals/refusals.tsx").then((module) => module.Refusals),
		navigation: { section: "record", label: "refusals", icon: danger, key: "f" },
	},
	{
		path: "/console/support",
		roles: READERS,
		words: ["console-people"],
		load: () => import("./support/support.tsx").then((module) => module.SupportSessions),
	},
	{
		path: "/console/webhooks",
		roles: READERS,
		words: ["console-settings"],
		load: () => import("./webhooks/webhooks.tsx").then((module) => module.Webhooks),
		navigation: { section: "settings", label: "webhooks", icon: webhook, key: "w" },
	},
	{
		path: "/console/webhooks/{id}",
		roles: READERS,
		words: ["console-settings", "console-access"],
		load: () => import("./webhooks/webhook.tsx").then((module) => module.WebhookPage),
	},
	{
		path: "/console/mail",
		roles: ADMIN,
		words: ["console-settings"],
		load: () => import("./mail/mail.tsx").then((module) => module.Mail),
		navigation: { section: "record", label: "mail", icon: mail, key: "e" },
	},
	{
		path: "/console/keys",
		roles: ADMIN,
		words: ["console-settings", "console-workloads"],
		load: () => import("./keys/keys.tsx").then((module) => module.Keys),
		navigation: { section: "settings", label: "keys", icon: key, key: "k" },
	},
	{
		path: "/console/providers",
		roles: READERS,
		words: ["console-settings", "console-access"],
		load: () => import("./providers/providers.tsx").then((module) => module.Providers),
		navigation: { section: "settings", label: "providers", icon: link, key: "s" },
	},
	{
		path: "/console/providers/{id}",
		roles: READERS,
		words: ["console-settings", "console-access"],
		load: () => import("./providers/provider.tsx").then((module) => module.ProviderPage),
	},
	{
		path: "/console/branding",
		roles: ADMIN,
		words: ["console-settings", "sign-in", "frame"],
		load: () => import("./branding/branding.tsx").then((module) => module.Branding),
		navigation: { section: "settings", label: "branding", icon: brush, key: "b" },
	},
	{
		path: "/console/tenants",
		roles: PLATFORM_ADMIN,
		words: ["console-settings"],
		load: () => import("./tenants/tenants.tsx").then((module) => module.Tenants),
		navigation: { section: "installation", label: "tenants", icon: building, key: "t" },
	},
	{
		path: "/console/installation",
		roles: PLATFORM_ADMIN,
		words: ["console-installation"],
		load: () => import("./installation/installation.tsx").then((module) => module.Installation),
		navigation: { section: "installation", label: "installation", icon: server, key: "i" },
	},
	{
		path: "/console/clients",
		roles: READERS,
		words: ["console-partners", "claim"],
		load: () => import("./clients/clients.tsx").then((module) => module.Clients),
		navigation: { section: "partners", label: "clients", icon: key, key: "c" },
	},
	{
		path: "/console/programs",
		roles: READERS,
		words: ["console-partners"],
		load: () => import("./programs/programs.tsx").then((module) => module.Programs),
		navigation: { section: "partners", label: "programs", icon: robot, key: "m" },
	},
	{
		path: "/console/programs/{id}",
		roles: READERS,
		words: ["console-partners"],
		load: () => import("./programs/program.tsx").then((module) => module.ProgramPage),
	},
	{
		path: "/console/clients/{id}",
		roles: READERS,
		words: ["console-partners", "console-refusals", "claim"],
		load: () => import("./clients/client.tsx").then((module) => module.Client),
	},
];

interface FoundScreen {
	readonly screen: ConsoleScreen;
	/** The values of `{…}` in its path. */
	readonly params: Readonly<Record<string, string>>;
}

/** The first screen for the path that `mayOpen` accepts. */
export function findScreen(
	path: string,
	mayOpen: (screen: ConsoleScreen) => boolean = () => true,
): FoundScreen | undefined {
	for (const screen of SCREENS) {
		const match = new RegExp(`^${screen.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(path);
		if (match !== null && mayOpen(screen)) return { screen, params: match.groups ?? {} };
	}
	return undefined;
}
