// The language that an application requests (`ui_locales`).

import { session } from "../api/session.ts";
import { askedLanguage } from "../words/language.ts";
import { changeLanguage } from "../words/words.ts";

/** Applies it unless the user has chosen a language. @param tags in order of preference. */
export async function showAskedLanguage(tags: readonly string[]): Promise<void> {
	const asked = session.value.user?.locale ? undefined : askedLanguage(tags);
	if (asked !== undefined) await changeLanguage(asked);
}
