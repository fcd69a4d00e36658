// The language that an application asks for (`ui_locales`).

import { session } from "../api/session.ts";
import { askedLanguage } from "../words/language.ts";
import { changeLanguage } from "../words/words.ts";

/** Shows it unless a language was chosen. @param tags most wanted first. */
export async function showAskedLanguage(tags: readonly string[]): Promise<void> {
	const asked = session.value.user?.locale ? undefined : askedLanguage(tags);
	if (asked !== undefined) await changeLanguage(asked);
}
