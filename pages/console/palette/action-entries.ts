// What the command palette can do: the actions of this screen and of others, and those of the console.

import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { announce } from "../../ui/status-line.tsx";
import { setTheme, theme } from "../../ui/theme.ts";
import { isAdmin, isReader } from "../roles.ts";
import { type Act, type PaletteEntry, REQUEST_ID, type ScreenLink, type Words } from "./find-entries.ts";
import { lastError } from "./last-error.ts";

/** The buttons of the headers of this screen. */
const OWN = ["page-header__actions", "card__head", "filters__actions"]
	.map((place) => `main .lk-${place} button:enabled:not([aria-haspopup])`)
	.join();

/** What the screen itself offers. */
export function ownEntries(t: Words): PaletteEntry[] {
	const buttons = [...document.querySelectorAll<HTMLButtonElement>(OWN)].filter((button) =>
		button.checkVisibility(),
	);
	const entries = buttons.flatMap((button): PaletteEntry[] => {
		const name = button.textContent.trim();
		return name === "" ? [] : [{ name, kind: "here", target: () => button.click() }];
	});
	const id = shownRequestId();
	return id === undefined
		? entries
		: [...entries, { name: t.copyRequestId(id), kind: "here", target: () => void copy(id, t) }];
}

/** Of the first refused call on the screen, or else of the last error. */
function shownRequestId(): string | undefined {
	const shown = [...document.querySelectorAll("main td code")].find(
		(code) => REQUEST_ID.test(code.textContent) && code.checkVisibility(),
	);
	return shown?.textContent ?? lastError.requestId;
}

async function copy(text: string, t: Words): Promise<void> {
	await navigator.clipboard.writeText(text);
	announce(t.copied);
}

async function verifyTrail(t: Words): Promise<void> {
	try {
		const { broken_at, checked } = (await call("GET /audit-events/chain")).data;
		if (broken_at === null) announce(t.verified(checked));
		else announce(t.broken(broken_at), "danger");
	} catch (error) {
		announce(error instanceof ApiError ? error.message : String(error), "danger");
	}
}

/** The actions of other screens, and those of the console. */
export function actionEntries(screens: readonly ScreenLink[], t: Words): PaletteEntry[] {
	const added = isAdmin() ? Object.entries(t.add) : [];
	const adding = added.flatMap(([screen, name]): PaletteEntry[] => {
		const href = `/console/${screen}`;
		const isOffered = href !== location.pathname && screens.some((link) => link.href === href);
		return isOffered ? [{ name, kind: "action", target: `${href}#add` }] : [];
	});
	const reading: PaletteEntry[] = isReader()
		? [{ name: t.verify, kind: "action", target: () => void verifyTrail(t) }]
		: [];
	const acts = isAdmin() ? (Object.keys(t.acts) as Act[]) : [];
	const themes = (["light", "dark", "system"] as const).filter((choice) => choice !== theme.value);
	return [
		...adding,
		...acts.map((act) => ({ name: t.acts[act].name, kind: "action" as const, target: { act } })),
		...reading,
		...themes.map((choice) => ({
			name: t.themes[choice],
			kind: "action" as const,
			target: () => setTheme(choice),
		})),
	];
}
