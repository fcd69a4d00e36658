// The initials of a name. Decoration: the name is beside it.

import "./avatar.css";

export function Avatar({ name, size = "medium" }: { name: string; size?: "small" | "medium" | "large" }) {
	return (
		<span class={`lk-avatar lk-avatar--${size}`} aria-hidden="true">
			{initials(name)}
		</span>
	);
}

/** The initials of the first and last words; for a name in Chinese characters, its last character. */
export function initials(name: string): string {
	const words = name.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean);
	const [first = "?"] = words;
	if (/^\p{Script=Han}/u.test(first)) return [...first].at(-1) ?? "?";
	const last = words.length > 1 ? (words.at(-1) ?? "") : "";
	return [first, last]
		.map((word) => [...word][0] ?? "")
		.join("")
		.toUpperCase();
}
