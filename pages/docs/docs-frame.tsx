// The frame of the reference: a bar with the search, the contents at the side; on a phone behind a button.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { accountItems } from "../account-menu/account-items.ts";
import { session } from "../api/session.ts";
import { AccountMenu } from "../ui/account-menu.tsx";
import { Brand } from "../ui/brand.tsx";
import { Icon } from "../ui/icon.tsx";
import { close, menu } from "../ui/icons.ts";
import { LanguageSwitch } from "../ui/language-switch.tsx";
import { Link } from "../ui/link.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { CONTENT_ID, SkipLink } from "../ui/skip-link.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { languageSwitch } from "../words/language-options.ts";
import { useWords } from "../words/words.ts";
import type { Api, Operation } from "./api.ts";
import { Contents } from "./contents.tsx";
import "../ui/inter.css";
import "./docs-frame.css";
import { place, SEARCH_ANCHOR, search } from "./place.ts";
import { useSession } from "./use-session.ts";

interface DocsFrameProps {
	readonly api: Api | undefined;
	/** The endpoint that is shown. */
	readonly operation: Operation | undefined;
	/** Enter in the search opens it. */
	readonly firstHit: string | undefined;
	readonly children: ComponentChildren;
}

export function DocsFrame({ api, operation, firstHit, children }: DocsFrameProps) {
	const t = useWords("docs");
	const [isOpen, setOpen] = useState(false);
	const { anchor, query } = place.value;
	useEffect(() => setOpen(false), [anchor, query]);
	const onKeyDown = (event: KeyboardEvent) => {
		const first = document.querySelector<HTMLElement>("[data-hit]");
		if (first === null || firstHit === undefined || event.isComposing) return;
		if (event.key === "Enter") first.click();
		if (event.key !== "ArrowDown") return;
		event.preventDefault();
		first.focus();
	};
	return (
		<div class="docs">
			<SkipLink />
			<header class="docs-bar">
				<button
					type="button"
					class="lk-icon-button docs-open"
					aria-label={t.contents}
					aria-expanded={isOpen ? "true" : "false"}
					aria-controls="docs-contents"
					onClick={() => setOpen(!isOpen)}
				>
					<Icon shape={isOpen ? close : menu} />
				</button>
				<Brand href="/" />
				<SearchBox
					label={t.search}
					value={query}
					onValue={search}
					hasShortcuts
					autoFocus={anchor === SEARCH_ANCHOR}
					onKeyDown={onKeyDown}
				/>
				<div class="docs-own">
					<LanguageSwitch {...languageSwitch()} />
					<Account />
				</div>
			</header>
			<div class="docs-columns">
				<div class={isOpen ? "docs-side docs-side--open" : "docs-side"} id="docs-contents">
					<Contents api={api} operation={operation} />
				</div>
				<main class="docs-main" id={CONTENT_ID} tabIndex={-1}>
					{children}
				</main>
			</div>
			<StatusLine />
		</div>
	);
}

/** Nothing until the session is known. */
function Account() {
	const common = useWords("ui");
	useSession();
	const { state, user } = session.value;
	if (user !== undefined)
		return (
			<AccountMenu
				name={user.display_name || user.username}
				label={common.account}
				items={accountItems(common, { isConsole: false })}
			/>
		);
	return (
		<span class={state === "unknown" ? "docs-own-empty" : ""}>
			<Link variant="quiet" href="/sign-in?return_to=%2Fdocs">
				{common.signIn}
			</Link>
		</span>
	);
}
