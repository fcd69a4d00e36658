// Grey bars of the size of the loading content.

import "./skeleton.css";
import { uiWords } from "./words.ts";

const WIDTHS = ["92%", "78%", "85%", "60%"] as const;

/** `lines` of text, or one block of `height` (a CSS length). */
export function Skeleton({ lines = 1, height }: { lines?: number; height?: string }) {
	if (height !== undefined)
		return (
			<div class="lk-skeleton" style={{ blockSize: height }} role="status">
				<span class="lk-hidden">{uiWords().loading}</span>
			</div>
		);
	return (
		<div class="lk-skeletons" role="status">
			<span class="lk-hidden">{uiWords().loading}</span>
			{Array.from({ length: lines }, (_, index) => (
				<SkeletonBar key={`line-${index.toString()}`} index={index} />
			))}
		</div>
	);
}

/** One line, without a message to screen readers. */
export function SkeletonBar({ index = 0 }: { index?: number }) {
	return (
		<span class="lk-skeleton__line">
			<span class="lk-skeleton" style={{ inlineSize: WIDTHS[index % WIDTHS.length] ?? "100%" }} />
		</span>
	);
}
