// The frame of documents with one task: brand, card, language.

import type { ComponentChildren } from "preact";
import { Brand } from "./brand.tsx";
import "./centered-shell.css";
import { FooterLinks } from "./footer-links.tsx";
import { LanguageSwitch, type LanguageSwitchProps } from "./language-switch.tsx";
import { CONTENT_ID } from "./skip-link.tsx";
import { StatusLine } from "./status-line.tsx";

interface CenteredShellProps {
	readonly title: string;
	/** One sentence below the title. */
	readonly lead?: ComponentChildren;
	readonly children: ComponentChildren;
	/** Below the card: other ways, such as "Create an account". */
	readonly below?: ComponentChildren;
	/** Forms of several columns, results with code. */
	readonly wide?: boolean | undefined;
	readonly languages?: LanguageSwitchProps | undefined;
	/** Links at the end of the page. */
	readonly footer?: ComponentChildren;
	readonly homeHref?: string | undefined;
}

export function CenteredShell(props: CenteredShellProps) {
	return (
		<div class={props.wide === true ? "lk-centered lk-centered--wide" : "lk-centered"}>
			<CenteredContent {...props} />
			<StatusLine />
		</div>
	);
}

/** @param isPreview within another document, which has its own main part and first heading. */
export function CenteredContent(props: CenteredShellProps & { readonly isPreview?: boolean }) {
	const { title, lead, children, below, languages, footer, homeHref, isPreview = false } = props;
	const Main = isPreview ? "div" : "main";
	const Title = isPreview ? "div" : "h1";
	return (
		<>
			<header class="lk-centered__head">
				<Brand href={homeHref} />
			</header>
			<Main class="lk-centered__main" {...(!isPreview && { id: CONTENT_ID, tabIndex: -1 })}>
				<div class="lk-centered__card lk-stack">
					<Title class="lk-centered__title" tabIndex={-1}>
						{title}
					</Title>
					{lead !== undefined && <p class="lk-centered__lead">{lead}</p>}
					{children}
				</div>
				{below !== undefined && <div class="lk-centered__below">{below}</div>}
			</Main>
			<footer class="lk-centered__foot">
				{footer}
				<FooterLinks />
				{languages !== undefined && <LanguageSwitch {...languages} />}
			</footer>
		</>
	);
}
