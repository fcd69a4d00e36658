// The account of the session, beside a question about it.

import { useAction } from "../api/query.ts";
import { session, signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";

export function SignedInAs() {
	return <bdi>{useWords("frame").signedInAs(session.value.user?.username ?? "")}</bdi>;
}

interface OtherAccountProps {
	readonly signInPath: string;
	readonly label: string;
}

/** With a button that signs out and opens `signInPath`. */
export function SignedInOrOther({ signInPath, label }: OtherAccountProps) {
	const another = useAction(() => signOut(signInPath));
	return (
		<>
			<SignedInAs />
			<Button variant="quiet" wide pending={another.isPending} onClick={another.run}>
				{label}
			</Button>
		</>
	);
}
