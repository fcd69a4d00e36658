// Colors and their contrast by WCAG 2.2.

/** Red, green and blue, 0 to 255, whole numbers. */
export type Rgb = readonly [number, number, number];

/** Of `#rrggbb`. */
export function parsed(color: string): Rgb {
	const byte = (at: number) => Number.parseInt(color.slice(at, at + 2), 16);
	return [byte(1), byte(3), byte(5)];
}

export function text(color: Rgb): string {
	return `#${color.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** `share` of `other`, the rest of `color`, in sRGB. */
export function mixed(color: Rgb, other: Rgb, share: number): Rgb {
	const byte = (at: 0 | 1 | 2) => Math.round(color[at] + (other[at] - color[at]) * share);
	return [byte(0), byte(1), byte(2)];
}

/** From 1 (equal) to 21 (black and white). */
export function contrast(one: Rgb, other: Rgb): number {
	const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
	return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(byte: number): number {
	const part = byte / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
