// Applies a tenant's brand: its name, and its color as accent tokens that are readable in both themes.

import { signal } from "@preact/signals";
import { accentOf } from "./accent.ts";

/** The part of `GET /branding` that pages show. Logos on other hosts are not loaded, because the content policy forbids it. */
export interface Branding {
	readonly product_name: string;
	readonly accent_color: string;
	readonly support_email?: string | undefined;
}

export const brand = signal<Branding>({ product_name: "Latchkey", accent_color: "#1f4fd8" });

/** `accent_color` is `#rrggbb`; other values leave the colors unchanged. */
export function applyBranding(next: Branding): void {
	brand.value = next;
	if (!/^#[0-9a-f]{6}$/i.test(next.accent_color)) return;
	const light = accentOf(next.accent_color, "light");
	const dark = accentOf(next.accent_color, "dark");
	const { style } = document.documentElement;
	for (const [token, part] of [
		["--accent", "fill"],
		["--accent-hover", "hover"],
		["--on-accent", "on"],
		["--accent-text", "text"],
		["--accent-soft", "soft"],
	] as const)
		style.setProperty(token, `light-dark(${light[part]}, ${dark[part]})`);
}
