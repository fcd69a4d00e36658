// Begins a document: session, brand and words, then the screen in place of the skeleton.

// Tokens and plain elements come first in the stylesheet.
import "./ui/base.ts";
import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { loadBrand } from "./api/brand.ts";
import { isSignInDue, requireSignIn, restoreSession, session } from "./api/session.ts";
import { restoreTheme } from "./ui/theme.ts";
import { setUiWords } from "./ui/words.ts";
import { FIRST_AREAS } from "./words/areas.ts";
import { showLanguageOf } from "./words/language.ts";
import { changeLanguage, loadWords, markDocument, useWords } from "./words/words.ts";

interface StartOptions {
	/**
	 * `required`: without a session the sign-in page opens, and comes back. `tried`: the screen gets to know whether there
	 * is one. Default: the screen does not use it, and no request is made for it.
	 */
	readonly session?: "required" | "tried";
}

/** Draws `Screen` when its words are there. */
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
	render(<Screen />, root);
	effect(() => {
		if (isSignInDue.value)
			import("./session-ended/show-dialog.tsx").then(({ showDialog }) => showDialog(), reportError);
	});
}
