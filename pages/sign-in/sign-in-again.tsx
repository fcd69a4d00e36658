// Signs out, then restarts the same sign-in.

import { useAction } from "../api/query.ts";
import { session, signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";

export function SignInAgain({ label }: { label: string }) {
	const t = useWords("sign-in-steps");
	const again = useAction(signOutHere);
	return (
		<>
			<p class="lk-muted">
				<bdi>{t.signedInAs(session.value.user?.username ?? "")}</bdi>
			</p>
			<Button variant="primary" wide pending={again.isPending} onClick={again.run}>
				{label}
			</Button>
		</>
	);
}

export function signOutHere(): Promise<void> {
	return signOut(`${location.pathname}${location.search}`);
}
