// The frame of a step: a page during sign-in, a dialog after a session ended.

import type { ComponentChildren } from "preact";
import { useDocumentTitle } from "../document-title.ts";
import { brand } from "../ui/branding.ts";
import { CenteredShell } from "../ui/centered-shell.tsx";
import { languageSwitch } from "../words/language-options.ts";
import { useWords } from "../words/words.ts";

export interface FrameProps {
	readonly title: string;
	/** One sentence below the title. */
	readonly lead?: ComponentChildren;
	readonly children: ComponentChildren;
	/** Below the card, on a page only. */
	readonly below?: ComponentChildren;
}

export function PageFrame({ title, lead, children, below }: FrameProps) {
	const t = useWords("frame");
	const { support_email } = brand.value;
	useDocumentTitle(title);
	return (
		<CenteredShell
			title={title}
			lead={lead}
			below={below}
			homeHref="/"
			languages={languageSwitch()}
			footer={
				support_email !== undefined &&
				support_email !== "" && (
					<a class="lk-link" href={`mailto:${support_email}`}>
						{t.help}
					</a>
				)
			}
		>
			{children}
		</CenteredShell>
	);
}
