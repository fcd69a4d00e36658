// The console: the frame with the navigation for the user's roles, and the screen for the current path.

import { useEffect } from "preact/hooks";
import { Router, useLocation } from "wouter-preact";
import { accountItems } from "../account-menu/account-items.ts";
import { session } from "../api/session.ts";
import { useTenant } from "../api/tenant.ts";
import { ConsoleShell } from "../ui/console-shell.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { followLinks } from "../ui/follow-links.ts";
import { keyboard, lock, search } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import type { NavigationSection } from "../ui/navigation.tsx";
import { useWords } from "../words/words.ts";
import { LoadedScreen } from "./loaded-screen.tsx";
import { crumbs } from "./screen-title.ts";
import { type ConsoleScreen, findScreen, SCREENS } from "./screens.ts";
import { ConsoleShortcuts, showShortcuts } from "./shortcuts/console-shortcuts.tsx";

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
	const { shortcuts } = useWords("console");
	// Without a response, only the name is missing from the frame.
	const tenant = useTenant(user?.tenant_id);
	useEffect(() => followLinks("/console", (target) => navigate(target)), [navigate]);
	return (
		<ConsoleShell
			sections={useSections()}
			current={path}
			homeHref="/console"
			tenant={tenant.data?.data.tenant.name}
			breadcrumbs={crumbs.value}
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
			<Content path={path} />
			<ConsoleShortcuts />
		</ConsoleShell>
	);
}

function Content({ path }: { readonly path: string }) {
	const t = useWords("console");
	const common = useWords("ui");
	if (!SCREENS.some(mayOpen))
		return (
			<EmptyState icon={lock} title={t.noRole} action={<Link href="/account">{common.account}</Link>}>
				{t.noRoleText}
			</EmptyState>
		);
	const found = findScreen(path, mayOpen);
	if (found !== undefined)
		return <LoadedScreen key={found.screen.shared ?? path} screen={found.screen} params={found.params} />;
	return (
		<EmptyState icon={search} title={common.notFound} action={<Link href="/console">{common.console}</Link>}>
			{common.notFoundText}
		</EmptyState>
	);
}

/** Screens that the user's roles cannot open are hidden. Sections and entries are in the order of their words. */
function useSections(): NavigationSection[] {
	const t = useWords("console");
	const labels = Object.keys(t.screens);
	const entries = SCREENS.flatMap((screen) =>
		screen.navigation !== undefined && mayOpen(screen) ? [{ ...screen.navigation, href: screen.path }] : [],
	).sort((one, other) => labels.indexOf(one.label) - labels.indexOf(other.label));
	return Object.entries(t.sections).flatMap(([name, title]) => {
		const items = entries
			.filter(({ section }) => section === name)
			.map(({ href, label, icon }) => ({ href, label: t.screens[label], icon }));
		return items.length === 0 ? [] : [{ title: title || undefined, items }];
	});
}

function mayOpen({ roles }: ConsoleScreen): boolean {
	return session.value.roles.some((role) => roles.includes(role));
}
