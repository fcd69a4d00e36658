// Finds the screen of a console path.

import { type ConsoleScreen, SCREENS } from "./screens.ts";

interface FoundScreen {
	readonly screen: ConsoleScreen;
	/** The values of `{…}` in its path. */
	readonly params: Readonly<Record<string, string>>;
}

/** The first screen for the path that `mayOpen` accepts. */
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
