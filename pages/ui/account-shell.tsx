// The frame of a person's own pages: a bar, and sections at the side or above.

import type { ComponentChildren } from "preact";
import { AccountMenu, type AccountMenuProps } from "./account-menu.tsx";
import "./inter.css";
import "./account-shell.css";
import { Brand } from "./brand.tsx";
import { useBrand } from "./branding.ts";
import { FooterLinks } from "./footer-links.tsx";
import { Navigation, type NavigationSection } from "./navigation.tsx";
import { CONTENT_ID, SkipLink } from "./skip-link.tsx";
import { StatusLine } from "./status-line.tsx";

interface AccountShellProps {
	readonly homeHref: string;
	/** Omitted if there is only one screen. */
	readonly sections?: readonly NavigationSection[] | undefined;
	/** The path shown. */
	readonly current: string;
	/** Omitted while signed out. */
	readonly account?: AccountMenuProps | undefined;
	/** At the end of the bar: links, the language. */
	readonly links?: ComponentChildren;
	readonly children: ComponentChildren;
}

export function AccountShell({ homeHref, sections, current, account, links, children }: AccountShellProps) {
	const { footer_links = [] } = useBrand();
	return (
		<div class="lk-own">
			<SkipLink />
			<header class="lk-own__bar">
				<Brand href={homeHref} />
				<div class="lk-own__links">{links}</div>
				{account !== undefined && <AccountMenu {...account} />}
			</header>
			<div class={sections === undefined ? "lk-own__body" : "lk-own__body lk-own__body--sections"}>
				{sections !== undefined && <Navigation sections={sections} current={current} />}
				<main class="lk-own__main" id={CONTENT_ID} tabIndex={-1}>
					{children}
				</main>
			</div>
			{footer_links.length > 0 && (
				<footer class="lk-own__foot">
					<FooterLinks />
				</footer>
			)}
			<StatusLine />
		</div>
	);
}
