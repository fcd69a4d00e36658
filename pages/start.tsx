// Starts a document: loads session, brand and words, then renders the screen.

// Tokens and plain elements come first in the stylesheet.
import "./ui/base.ts";
import { effect } from "@preact/signals";
import { type ComponentType, options as hooks, render, type VNode } from "preact";
import { loadBrand } from "./api/brand.ts";
import { isSignInDue, requireSignIn, restoreSession, session } from "./api/session.ts";
import { FailureBoundary } from "./ui/failure-boundary.tsx";
import { restoreTheme } from "./ui/theme.ts";
import { setUiWords } from "./ui/words.ts";
import { FIRST_AREAS } from "./words/areas.ts";
import { showLanguageOf } from "./words/language.ts";
import { changeLanguage, loadWords, markDocument, useWords } from "./words/words.ts";

/** A browser that translates a page must not rewrite keys and code. Preact sets the property, for which "no" is true. */
hooks.vnode = ({ type, props }: VNode) => {
	if (["code", "pre"].includes(type as string)) (props as { translate?: boolean }).translate = false;
};

interface StartOptions {
	/**
	 * `required`: without a session, redirects to the sign-in page and back. `tried`: the screen learns whether there
	 * is one. Default: the screen does not use the session, and no request is sent for it.
	 */
	readonly session?: "required" | "tried";
}

/** Renders `Screen` once its words are loaded. */
export async function start(Screen: ComponentType, options: StartOptions = {}): Promise<void> {
	if (DEVELOPMENT) import("./development.ts").then(({ reloadOnChange }) => reloadOnChange(), reportError);
	restoreTheme();
	setUiWords(() => useWords("ui"));
	const words = loadWords(FIRST_AREAS);
	if (options.session !== undefined) {
		const { state, user } = await restoreSession();
		if (options.session === "required" && state !== "signed-in") return requireSignIn();
		const preferred = showLanguageOf(user?.locale);
		if (preferred !== undefined) await words.then(() => changeLanguage(preferred));
	}
	await Promise.all([words, loadBrand(session.value.user?.tenant_id)]);
	markDocument();
	const root = document.querySelector("#app");
	if (root === null) throw new Error("the document has no #app");
	root.replaceChildren();
	render(
		<FailureBoundary>
			<Screen />
		</FailureBoundary>,
		root,
	);
	effect(() => {
		if (isSignInDue.value)
			import("./session-ended/show-dialog.tsx").then(({ showDialog }) => showDialog(), reportError);
	});
}
