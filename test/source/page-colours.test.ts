import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { accentOf, type Theme } from "../../pages/ui/accent.ts";
import { contrast, parsed } from "../../pages/ui/contrast.ts";

const THEMES = ["light", "dark"] as const;
const SURFACES = ["ground", "surface", "raised", "sunken", "hover"];
const source = readFileSync(new URL("../../pages/ui/tokens.css", import.meta.url), "utf8");
const tokens = new Map(
	[...source.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
		([, name = "", light = "", dark = ""]) => [name, { light, dark }],
	),
);

function token(name: string, theme: Theme): string {
	const values = tokens.get(name);
	assert.ok(values, `no color --${name} in tokens.css`);
	return values[theme];
}

function assertContrast(one: string, other: string, least: number, what: string): void {
	const ratio = contrast(parsed(one), parsed(other));
	assert.ok(ratio >= least, `${what}: ${one} on ${other} is ${ratio.toFixed(2)}, below ${least}`);
}

describe("the colors of the pages", () => {
	for (const theme of THEMES)
		test(`${theme}: text is readable on every surface, borders of controls are visible`, () => {
			for (const surface of SURFACES) {
				for (const text of ["text", "muted", "accent-text"])
					assertContrast(token(text, theme), token(surface, theme), 4.5, `${text} on ${surface}`);
				for (const meaning of ["success", "warning", "danger", "info"])
					assertContrast(token(meaning, theme), token(surface, theme), 4.5, `${meaning} on ${surface}`);
			}
			for (const meaning of ["success", "warning", "danger", "info"])
				for (const text of [meaning, "text", "accent-text"])
					assertContrast(token(text, theme), token(`${meaning}-soft`, theme), 4.5, `${text} on ${meaning}`);
			for (const fill of ["danger-fill", "danger-fill-hover"])
				assertContrast("#ffffff", token(fill, theme), 4.5, fill);
			for (const surface of ["surface", "raised", "ground"])
				assertContrast(token("control", theme), token(surface, theme), 3, `control on ${surface}`);
		});

	test("the accent in tokens.css equals the branding of the default color", () => {
		for (const theme of THEMES) {
			const { fill, hover, on, text, soft } = accentOf("#1f4fd8", theme);
			assert.deepEqual(
				{ fill, hover, on, text, soft },
				{
					fill: token("accent", theme),
					hover: token("accent-hover", theme),
					on: token("on-accent", theme),
					text: token("accent-text", theme),
					soft: token("accent-soft", theme),
				},
			);
		}
	});

	test("the accent of a brand is readable in both themes, for colors across the RGB cube", () => {
		const steps = ["00", "33", "66", "99", "cc", "ff"];
		for (const red of steps)
			for (const green of steps)
				for (const blue of steps)
					for (const theme of THEMES) {
						const color = `#${red}${green}${blue}`;
						const { fill, hover, on, text, soft } = accentOf(color, theme);
						assertContrast(on, fill, 4.5, `${color} ${theme} text on fill`);
						assertContrast(on, hover, 4.5, `${color} ${theme} text on hover`);
						assertContrast(fill, token("surface", theme), 3, `${color} ${theme} fill`);
						for (const surface of SURFACES)
							assertContrast(text, token(surface, theme), 4.5, `${color} ${theme} text on ${surface}`);
						assertContrast(text, soft, 4.5, `${color} ${theme} text on soft`);
					}
	});

	test("a readable color stays unchanged", () => {
		assert.equal(accentOf("#1f4fd8", "light").fill, "#1f4fd8");
		assert.equal(accentOf("#ffcc00", "dark").fill, "#ffcc00");
		assert.notEqual(accentOf("#ffcc00", "light").fill, "#ffcc00");
		assert.notEqual(accentOf("#000000", "dark").fill, "#000000");
	});
});
