// Which screen of the console an address shows.

import { type ConsoleScreen, SCREENS } from "./screens.ts";

interface FoundScreen {
	readonly screen: ConsoleScreen;
	/** What is in `{…}` of its path. */
	readonly params: Readonly<Record<string, string>>;
}

/** The first one of the path that `mayOpen` admits. */
export function findScreen(
	path: string,
	mayOpen: (screen: ConsoleScreen) => boolean = () => true,
): FoundScreen | undefined {
	for (const screen of SCREENS) {
		const match = new RegExp(`^${screen.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(path);
		if (match !== null && mayOpen(screen)) return { screen, params: match.groups ?? {} };
	}
	return undefined;
}
