// A generous model of automatic links in mail clients, written independently of the code that prevents them.

/** Characters that some mail clients read as a full stop; compatibility forms are folded first. */
const DOT_LOOKALIKES = /[\u3002\uff61]/gu;
const LINKS = [
	/\b(?:https?|ftps?|file|mailto|tel|sms|javascript|data|magnet|skype)\s?:[^\s\u200b]/giu,
	/www\.[^\s\u200b]/giu,
	/[\p{L}\p{N}\p{M}-]+\.[\p{L}\p{N}\p{M}-]+/gu,
	/[^\s@\u200b]@[^\s@\u200b]/gu,
	/(?:\\\\|\/\/)[^\s\u200b]/gu,
];

/** Everything in the text that may become a link. */
export function linksIn(text: string): string[] {
	const folded = text.normalize("NFKC").replace(DOT_LOOKALIKES, ".");
	return LINKS.flatMap((pattern) => folded.match(pattern) ?? []);
}

/** Texts that become links in some mail client. */
export const LINKABLE = [
	"https://evil.example/path?x=1",
	"HTTP:evil.example",
	"evil.example",
	"win-a-prize.evil.example/now",
	"www.evil.example",
	"evil\u3002example and evil\uff0eexample and evil\uff61example and evil\u2024example",
	"\u4e2d\u6587.\u4e2d\u56fd",
	"xn--fiq228c.xn--fiqs8s",
	"evil.\u00adexample and evil.\ufeffexample",
	"mailto:you@evil.example",
	"you@evil.example and you\uff20evil.example",
	"203.0.113.7:8080/x",
	"\\\\203.0.113.7\\share and //evil/share",
	"javascript:alert(1)",
	"see(evil.example),or<evil.example>",
] as const;

/** The text as the reader sees it. */
export function seen(text: string): string {
	return text.replaceAll("\u200b", "");
}
