// Applies a tenant's brand: its name, its icon, its corners, and its color as accent tokens that are readable in both themes.

import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { accentOf } from "./accent.ts";

/** The part of `GET /branding` that pages show. A brand cached by an older version lacks the newer fields. */
export interface Branding {
	readonly product_name: string;
	readonly accent_color: string;
	readonly support_email?: string | undefined;
	readonly logo_url?: string | undefined;
	readonly logo_dark_url?: string | undefined;
	readonly icon_url?: string | undefined;
	readonly sign_in_text?: string | undefined;
	readonly footer_links?: readonly { readonly label: string; readonly url: string }[] | undefined;
	readonly corner_radius?: number | null | undefined;
}

export const brand = signal<Branding>({ product_name: "Latchkey", accent_color: "#1f4fd8" });

/** Replaces the brand for a part of the page: its preview. */
export const PreviewedBrand = createContext<Branding | undefined>(undefined);

export function useBrand(): Branding {
	return useContext(PreviewedBrand) ?? brand.value;
}

/** The path of an uploaded logo; undefined for others, because the content policy allows only images of the service. */
export function uploadedImage(url: string | undefined): string | undefined {
	return /\/api\/v1\/images\/[0-9a-f]{64}$/.exec(url ?? "")?.[0];
}

/** In pixels: beyond it, the corners of a card cut into its content. */
const LARGEST_RADIUS = 32;

/** The tokens (tokens.css) that a brand replaces. A malformed color replaces none. */
export function brandTokens({ accent_color, corner_radius }: Branding): Readonly<Record<string, string>> {
	const tokens: Record<string, string> = {};
	if (/^#[0-9a-f]{6}$/i.test(accent_color)) {
		const light = accentOf(accent_color, "light");
		const dark = accentOf(accent_color, "dark");
		for (const [token, part] of [
			["--accent", "fill"],
			["--accent-hover", "hover"],
			["--on-accent", "on"],
			["--accent-text", "text"],
			["--accent-soft", "soft"],
		] as const)
			tokens[token] = `light-dark(${light[part]}, ${dark[part]})`;
	}
	if (typeof corner_radius === "number")
		for (const [token, share] of [
			["--radius-s", 0.67],
			["--radius-m", 1],
			["--radius-l", 1.67],
			["--radius-xl", 2.33],
		] as const)
			tokens[token] = `${Math.min(Math.round(corner_radius * share), LARGEST_RADIUS)}px`;
	return tokens;
}

let applied: readonly string[] = [];

export function applyBranding(next: Branding): void {
	brand.value = next;
	const tokens = brandTokens(next);
	const { style } = document.documentElement;
	for (const token of applied) if (!(token in tokens)) style.removeProperty(token);
	for (const [token, value] of Object.entries(tokens)) style.setProperty(token, value);
	applied = Object.keys(tokens);
	const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
	if (icon === null) return;
	icon.dataset.own ??= icon.href;
	icon.href = uploadedImage(next.icon_url) ?? icon.dataset.own;
}
