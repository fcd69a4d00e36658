// Entries of the account menu, the same in every document.

import { call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { session, signOut } from "../api/session.ts";
import { book, brush, globe, home, person, signOut as signOutShape } from "../ui/icons.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { announce } from "../ui/status-line.tsx";
import { setTheme, type ThemeChoice, theme } from "../ui/theme.ts";
import { LANGUAGES, type Language, language } from "../words/language.ts";
import { chooseLanguage, type WordsOf } from "../words/words.ts";

const NEXT_THEME = { system: "light", light: "dark", dark: "system" } as const satisfies Record<
	ThemeChoice,
	ThemeChoice
>;

interface AccountMenuOptions {
	readonly isConsole: boolean;
	/** Entries of the document itself. */
	readonly more?: readonly MenuItem[];
}

/** `isConsole`: in the console the menu links to the account; elsewhere to the console, if a role allows it. */
export function accountItems(
	words: WordsOf<"ui">,
	{ isConsole, more = [] }: AccountMenuOptions,
): readonly MenuItem[] {
	const other: Language = language.value === "en" ? "zh-CN" : "en";
	const themes = { system: words.themeSystem, light: words.themeLight, dark: words.themeDark };
	const console: MenuItem[] =
		session.value.roles.length === 0 ? [] : [{ label: words.console, icon: home, href: "/console" }];
	return [
		...(isConsole ? [{ label: words.account, icon: person, href: "/account" }] : console),
		{ label: words.documentation, icon: book, href: "/docs" },
		...more,
		{
			label: themes[theme.value],
			icon: brush,
			startsGroup: true,
			onSelect: () => setTheme(NEXT_THEME[theme.value]),
		},
		{ label: LANGUAGES[other], icon: globe, onSelect: () => changeOwnLanguage(other) },
		{ label: words.signOut, icon: signOutShape, startsGroup: true, onSelect: () => signOut() },
	];
}

/** Also sets the language of the user's mails, and of the pages in every browser from the next visit on. */
async function changeOwnLanguage(next: Language): Promise<void> {
	await chooseLanguage(next);
	try {
		const { data } = await call("PATCH /users/me", { body: { locale: next } });
		session.value = { ...session.value, user: data };
	} catch (error) {
		if (error instanceof ApiError) announce(error.message, "danger");
		else throw error;
	}
}
