// `/signed-out`: the end of a sign-out for which an application named no address.

import { PageFrame } from "../sign-in/frame.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";

export function SignedOut() {
	const t = useWords("sign-out");
	return (
		<PageFrame title={t.doneTitle}>
			<p>{t.doneText}</p>
			<Link variant="secondary" wide href="/sign-in">
				{t.signIn}
			</Link>
		</PageFrame>
	);
}
