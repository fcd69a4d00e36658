// The console: the frame with the navigation for the user's roles, and the screen for the current path.

import { useEffect } from "preact/hooks";
import { Router, useLocation } from "wouter-preact";
import { accountItems } from "../account-menu/account-items.ts";
import { session } from "../api/session.ts";
import { useTenant } from "../api/tenant.ts";
import { commandKey } from "../ui/command-key.ts";
import { ConsoleShell } from "../ui/console-shell.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { followLinks } from "../ui/follow-links.ts";
import { keyboard, lock, search } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import type { NavigationSection } from "../ui/navigation.tsx";
import { useWords } from "../words/words.ts";
import { beforeLeaving } from "./editing/before-leaving.ts";
import "./editing/kept-versions.ts";
import { LoadedScreen } from "./loaded-screen.tsx";
import { overlays } from "./overlays.tsx";
import { mayOpen, PLATFORM_ADMIN } from "./roles.ts";
import { crumbs } from "./screen-title.ts";
import { findScreen, SCREENS } from "./screens.ts";
import { ConsoleShortcuts, showPalette, showShortcuts } from "./shortcuts/console-shortcuts.tsx";
import { CountsProvider, failedChecks, useCounts, useCountsQuery } from "./waiting.ts";

export function Console() {
	return (
		<Router>
			<Frame />
		</Router>
	);
}

function Frame() {
	const [path, navigate] = useLocation();
	const { user } = session.value;
	const common = useWords("ui");
	const { openPalette, shortcuts } = useWords("console");
	// Without a response, only the name is missing from the frame.
	const tenant = useTenant(user?.tenant_id).data;
	const counts = useCountsQuery();
	const { pending_requests, failing_webhooks } = counts.data?.data ?? {};
	const sections = useSections(pending_requests, failing_webhooks);
	useEffect(() => followLinks("/console", (target) => beforeLeaving(() => navigate(target))), [navigate]);
	return (
		<ConsoleShell
			sections={sections}
			current={path}
			homeHref="/console"
			tenant={tenant && { name: tenant.name, href: mayOpen(PLATFORM_ADMIN) ? "/console/tenants" : undefined }}
			breadcrumbs={crumbs.value}
			search={{ label: openPalette, keys: commandKey("K"), onOpen: showPalette }}
			account={{
				name: user?.display_name || user?.username || "",
				detail: user?.email,
				label: common.account,
				items: accountItems(common, {
					isConsole: true,
					more: [{ label: shortcuts.title, icon: keyboard, onSelect: showShortcuts }],
				}),
			}}
		>
			<CountsProvider.Provider value={counts}>
				<Content path={path} />
			</CountsProvider.Provider>
			<ConsoleShortcuts screens={sections.flatMap(({ items }) => items)} />
			<Overlays />
		</ConsoleShell>
	);
}

function Overlays() {
	return <>{overlays.value}</>;
}

function Content({ path }: { readonly path: string }) {
	const t = useWords("console");
	const common = useWords("ui");
	const { data, error } = useCounts();
	if (!SCREENS.some(({ roles }) => mayOpen(roles)))
		return data === undefined && error === undefined ? null : (
			<EmptyState icon={lock} title={t.noRole} action={<Link href="/account">{common.account}</Link>}>
				{t.noRoleText}
			</EmptyState>
		);
	const found = findScreen(path, ({ roles }) => mayOpen(roles));
	if (found !== undefined)
		return <LoadedScreen key={found.screen.shared ?? path} screen={found.screen} params={found.params} />;
	return (
		<EmptyState icon={search} title={common.notFound} action={<Link href="/console">{common.console}</Link>}>
			{common.notFoundText}
		</EmptyState>
	);
}

type Section = NavigationSection & {
	readonly items: readonly (NavigationSection["items"][number] & { readonly key: string })[];
};

/** Screens that the user's roles cannot open are hidden. Sections and entries are in the order of their words. */
function useSections(waitingCount = 0, failingWebhooks: number | null = 0): Section[] {
	const t = useWords("console");
	const notes: Partial<Record<string, ReturnType<typeof t.waitingNow>>> = {
		...(waitingCount > 0 && { requests: t.waitingNow(waitingCount) }),
		...(failingWebhooks && { webhooks: t.failingNow(failingWebhooks) }),
		...(failedChecks.value > 0 && { installation: t.failingNow(failedChecks.value) }),
	};
	const labels = Object.keys(t.screens);
	const entries = SCREENS.flatMap((screen) =>
		screen.navigation !== undefined && mayOpen(screen.roles)
			? [{ ...screen.navigation, href: screen.path }]
			: [],
	).sort((one, other) => labels.indexOf(one.label) - labels.indexOf(other.label));
	return Object.entries(t.sections).flatMap(([name, title]) => {
		const items = entries
			.filter(({ section }) => section === name)
			.map(({ href, label, icon, key }) => ({
				key,
				href,
				label: t.screens[label],
				icon,
				note: notes[label],
			}));
		return items.length === 0 ? [] : [{ title: title || undefined, items }];
	});
}
