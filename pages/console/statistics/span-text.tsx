// Says to which time a link of a chart limits the list.

import { format } from "../../words/format.ts";

interface SpanTextProps {
	/** Times of the URL, which may be anything. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly text: (from: string, to: string) => string;
}

export function SpanText({ from = "", to = "", text }: SpanTextProps) {
	if (!isTime(from) || !isTime(to)) return null;
	return <p class="lk-muted">{text(format.dateTime(from), format.dateTime(to))}</p>;
}

function isTime(text: string): boolean {
	return !Number.isNaN(Date.parse(text));
}
