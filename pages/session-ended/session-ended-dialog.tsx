// Signs the user in again in place after the session ended, with the steps of the sign-in page.

import { ApiError } from "../api/error.ts";
import { send } from "../api/request.ts";
import { declineSignIn, session, startSession } from "../api/session.ts";
import type { FrameProps } from "../sign-in/frame.tsx";
import { SignInSteps } from "../sign-in/sign-in-steps.tsx";
import type { Tokens } from "../sign-in/visitor-call.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";

export function SessionEndedDialog() {
	const t = useWords("ui");
	const { user } = session.value;
	/** The page shows this user's data; no other user may continue. */
	const resume = async (tokens: Tokens): Promise<void> => {
		if (tokens.user.id === user?.id) return startSession(tokens);
		await send("POST", "/api/v1/auth/logout");
		throw new ApiError(403, "user.differs", t.otherUser(tokens.user.username, user?.username ?? ""));
	};
	return (
		<SignInSteps
			Frame={DialogFrame}
			title={t.sessionEnded}
			lead={t.sessionEndedText}
			below={
				<Link href="/sign-in?return_to=/account" variant="quiet" wide external>
					{t.otherWays}
				</Link>
			}
			fixedUsername={user?.username}
			onTokens={resume}
		/>
	);
}

function DialogFrame({ title, lead, children, below }: FrameProps) {
	return (
		<Dialog onClose={declineSignIn} title={title} size="small">
			<div class="lk-stack">
				{lead !== undefined && <p>{lead}</p>}
				{children}
				{below}
			</div>
		</Dialog>
	);
}
