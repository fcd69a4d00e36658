// The languages, for the switch in the shells.

import { LANGUAGES, type Language, language } from "./language.ts";
import { chooseLanguage } from "./words.ts";

export function languageSwitch() {
	return {
		current: language.value,
		options: Object.entries(LANGUAGES).map(([tag, label]) => ({ tag, label })),
		onChange: (tag: string) => {
			chooseLanguage(tag as Language).catch(reportError);
		},
	};
}
