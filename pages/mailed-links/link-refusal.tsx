// A link that does nothing any more, or that was copied in part.

import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";

/** `text` is of a link that was used or has expired; absent: there was no token in the address. */
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
