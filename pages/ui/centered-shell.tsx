// The frame of documents with one task: brand, card, language.

import type { ComponentChildren } from "preact";
import { Brand } from "./brand.tsx";
import "./centered-shell.css";
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
	const { title, lead, children, below, wide = false, languages, footer, homeHref } = props;
	return (
		<div class={wide ? "lk-centered lk-centered--wide" : "lk-centered"}>
			<header class="lk-centered__head">
				<Brand href={homeHref} />
			</header>
			<main class="lk-centered__main" id={CONTENT_ID} tabIndex={-1}>
				<div class="lk-centered__card">
					<h1 class="lk-centered__title" tabIndex={-1}>
						{title}
					</h1>
					{lead !== undefined && <p class="lk-centered__lead">{lead}</p>}
					{children}
				</div>
				{below !== undefined && <div class="lk-centered__below">{below}</div>}
			</main>
			{(footer !== undefined || languages !== undefined) && (
				<footer class="lk-centered__foot">
					{footer}
					{languages !== undefined && <LanguageSwitch {...languages} />}
				</footer>
			)}
			<StatusLine />
		</div>
	);
}
