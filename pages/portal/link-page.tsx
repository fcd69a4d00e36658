// The frame of a page with one purpose that a link with a token opens: what it asks, and what it says afterwards.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useDocumentTitle } from "../document-title.ts";
import { CenteredShell } from "../ui/centered-shell.tsx";
import { Notice } from "../ui/notice.tsx";
import { languageSwitch } from "../words/language-options.ts";

interface LinkPageProps {
	/** `""` if the link has none. */
	readonly token: string | undefined;
	readonly words: { readonly title: string; readonly doneTitle: string; readonly noToken: string };
	/** Undefined until the purpose is fulfilled; then in place of `children`, with the focus on its title. */
	readonly done: ComponentChildren | undefined;
	readonly children: ComponentChildren;
}

export function LinkPage({ token, words, done, children }: LinkPageProps) {
	const isDone = done !== undefined;
	const title = isDone ? words.doneTitle : words.title;
	useDocumentTitle(title);
	useEffect(() => {
		if (isDone) document.querySelector("h1")?.focus();
	}, [isDone]);
	return (
		<CenteredShell title={title} homeHref="/" languages={languageSwitch()}>
			{isDone ? done : token === "" ? <Notice tone="danger">{words.noToken}</Notice> : children}
		</CenteredShell>
	);
}
