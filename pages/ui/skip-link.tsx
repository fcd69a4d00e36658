// The first link of a page: past the navigation, to the content.

import "./skip-link.css";
import { uiWords } from "./words.ts";

export const CONTENT_ID = "content";

export function SkipLink() {
	return (
		<a
			class="lk-skip"
			href={`#${CONTENT_ID}`}
			onClick={(event) => {
				event.preventDefault();
				document.getElementById(CONTENT_ID)?.focus();
			}}
		>
			{uiWords().skipToContent}
		</a>
	);
}
