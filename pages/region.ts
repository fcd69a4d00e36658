// The region of dates and numbers: a British browser gets British dates on English pages.

/** The browser's first tag of `language` that names a region, such as `en-GB`; else the language itself. */
export function regionalTag(language: string): string {
	// A Chinese region implies a script; the pages have simplified characters only.
	if (language !== "en") return language;
	return navigator.languages.find((tag) => /^en-[A-Z]{2}$/i.test(tag)) ?? language;
}
