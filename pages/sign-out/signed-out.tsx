// `/signed-out`: shown after a sign-out if the application named no URL.

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
