// The user's own account: the frame with its sections, and the screen for the current path.

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Router, useLocation } from "wouter-preact";
import { accountItems } from "../account-menu/account-items.ts";
import { session } from "../api/session.ts";
import { useDocumentTitle } from "../document-title.ts";
import { AccountShell } from "../ui/account-shell.tsx";
import { followLinks } from "../ui/follow-links.ts";
import { application, type IconShape, laptop, person, shield } from "../ui/icons.ts";
import { useWords, type WordsOf } from "../words/words.ts";
import { Access } from "./access.tsx";
import { OwnerDialog } from "./owner-dialog.tsx";
import type { AccountPath } from "./paths.ts";
import { Profile } from "./profile.tsx";
import { returnedFromProvider } from "./provider-return.ts";
import { Security } from "./security.tsx";
import { Sessions } from "./sessions.tsx";

interface Section {
	readonly href: AccountPath;
	readonly name: keyof WordsOf<"account">["sections"];
	readonly icon: IconShape;
	readonly Screen: ComponentType;
}

const SECTIONS: readonly [Section, ...Section[]] = [
	{ href: "/account", name: "profile", icon: person, Screen: Profile },
	{ href: "/account/security", name: "security", icon: shield, Screen: Security },
	{ href: "/account/sessions", name: "sessions", icon: laptop, Screen: Sessions },
	{ href: "/account/access", name: "access", icon: application, Screen: Access },
];

export function Account() {
	// Signing out replaces the document; until then there is no user to show.
	if (session.value.user === undefined) return null;
	return (
		<Router>
			<Frame />
		</Router>
	);
}

function Frame() {
	const [path, navigate] = useLocation();
	const t = useWords("account");
	const common = useWords("ui");
	const { user } = session.value;
	const { name, Screen } = SECTIONS.find(({ href }) => href === path) ?? SECTIONS[0];
	const place = useRef<HTMLDivElement>(null);
	const shown = useRef(path);
	useDocumentTitle(t.sections[name]);
	useEffect(() => followLinks("/account", (target) => navigate(target)), [navigate]);
	useEffect(() => {
		if (returnedFromProvider()) navigate("/account/security", { replace: true });
	}, []);
	useEffect(() => {
		// The first screen leaves the focus where the browser puts it.
		if (shown.current === path) return;
		shown.current = path;
		scrollTo(0, 0);
		place.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
	}, [path]);
	return (
		<AccountShell
			homeHref="/account"
			sections={[
				{ items: SECTIONS.map(({ href, icon, name: key }) => ({ href, icon, label: t.sections[key] })) },
			]}
			current={path}
			account={{
				name: user?.display_name || user?.username || "",
				detail: user?.email,
				label: common.account,
				items: accountItems(common, { isConsole: false }),
			}}
		>
			<div ref={place} key={path}>
				<Screen />
			</div>
			<OwnerDialog />
		</AccountShell>
	);
}
