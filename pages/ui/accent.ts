// Derives a theme's accent tokens from one color, so that text stays readable with any color.

import { contrast, text as hex, mixed, parsed, type Rgb } from "./contrast.ts";

/** The accent tokens of a theme (tokens.css). */
interface Accent {
	/** Fill of buttons and marks: 3:1 against the surface at least. */
	readonly fill: string;
	readonly hover: string;
	/** Black or white: 4.5:1 at least on `fill` and `hover`. */
	readonly on: string;
	/** Links and selected text: 4.5:1 at least on every surface and on `soft`. */
	readonly text: string;
	readonly soft: string;
}

export type Theme = "light" | "dark";

const BLACK = parsed("#000000");
const WHITE = parsed("#ffffff");
/** Of tokens.css: the surface, and the one on which text of the accent is hardest to read. */
const SURFACES = {
	light: { surface: parsed("#ffffff"), hardest: parsed("#f4f5f7"), toward: BLACK },
	dark: { surface: parsed("#12151b"), hardest: parsed("#1c212a"), toward: WHITE },
} as const;

export function accentOf(color: string, theme: Theme): Accent {
	const { surface, hardest, toward } = SURFACES[theme];
	const fill = movedUntil(parsed(color), toward, (shade) => contrast(shade, surface) >= 3);
	const on = contrast(WHITE, fill) >= 4.5 ? WHITE : BLACK;
	const hover = mixed(fill, on === WHITE ? BLACK : WHITE, 0.12);
	const soft = mixed(surface, fill, theme === "light" ? 0.1 : 0.18);
	const accentText = movedUntil(
		fill,
		toward,
		(shade) => contrast(shade, hardest) >= 4.5 && contrast(shade, soft) >= 4.5,
	);
	return { fill: hex(fill), hover: hex(hover), on: hex(on), text: hex(accentText), soft: hex(soft) };
}

/** The first of 50 steps from `color` to `toward` with enough contrast. */
function movedUntil(color: Rgb, toward: Rgb, suffices: (shade: Rgb) => boolean): Rgb {
	for (let step = 0; step < 50; step++) {
		const shade = mixed(color, toward, step / 50);
		if (suffices(shade)) return shade;
	}
	return toward;
}
