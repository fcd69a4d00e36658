// A link that is no longer valid, or was copied incompletely.

import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";

/** `text` explains a used or expired link; undefined if the URL has no token. */
export function LinkRefusal({ text }: { text?: string | undefined }) {
	const t = useWords("mailed-links");
	return (
		<>
			<Notice tone="danger">{text ?? t.incomplete}</Notice>
			<Link href="/sign-in" variant="secondary" wide>
				{t.toSignIn}
			</Link>
		</>
	);
}
