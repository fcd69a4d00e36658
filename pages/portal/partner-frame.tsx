// The frame of the partner pages: window title, documentation, language and support contact.

import type { ComponentChildren } from "preact";
import { useDocumentTitle } from "../document-title.ts";
import { AccountShell } from "../ui/account-shell.tsx";
import { brand } from "../ui/branding.ts";
import { LanguageSwitch } from "../ui/language-switch.tsx";
import { Link } from "../ui/link.tsx";
import { languageSwitch } from "../words/language-options.ts";
import { useWords } from "../words/words.ts";
import "./partner-frame.css";

interface PartnerFrameProps {
	readonly title: string;
	readonly children: ComponentChildren;
	/** Beside the content, below it where it is narrow. */
	readonly aside?: ComponentChildren;
}

export function PartnerFrame({ title, children, aside }: PartnerFrameProps) {
	const words = useWords("ui");
	const { support_email } = brand.value;
	useDocumentTitle(title);
	const links = (
		<>
			<Link href="/docs">{words.documentation}</Link>
			<LanguageSwitch {...languageSwitch()} />
		</>
	);
	return (
		<AccountShell homeHref="/" current={location.pathname} links={links}>
			<div class={aside === undefined ? "partner" : "partner partner--aside"}>
				<div class="partner-content lk-stack">{children}</div>
				{aside}
			</div>
			{support_email !== undefined && support_email !== "" && (
				<p class="partner-foot">
					{words.questions}{" "}
					<a class="lk-link" href={`mailto:${support_email}`}>
						{support_email}
					</a>
				</p>
			)}
		</AccountShell>
	);
}
