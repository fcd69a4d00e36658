// Entry of `/sign-out` and `/signed-out`.

import { PageFrame } from "../sign-in/frame.tsx";
import { showRequestedLanguage } from "../sign-in/interaction.ts";
import { start } from "../start.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import { SignOutPage } from "./sign-out-page.tsx";

if (location.pathname === "/sign-out") await start(SignOutPage, { session: "tried" });
else {
	await showRequestedLanguage((new URLSearchParams(location.search).get("ui_locales") ?? "").split(" "));
	await start(SignedOut);
}

function SignedOut() {
	const t = useWords("sign-out");
	return (
		<PageFrame title={t.doneTitle}>
			<p>{t.doneText}</p>
			<Link variant="secondary" wide href="/sign-in">
				{useWords("ui").signIn}
			</Link>
		</PageFrame>
	);
}
