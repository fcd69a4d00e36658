// Shows the dialog that asks the user to sign in again, on top of any document.

import { effect } from "@preact/signals";
import { render } from "preact";
import { ApiError } from "../api/error.ts";
import { send, setTenant } from "../api/request.ts";
import { declineSignIn, isSignInDue, session, startSession } from "../api/session.ts";
import type { FrameProps } from "../sign-in/frame.tsx";
import { SignInSteps } from "../sign-in/sign-in-steps.tsx";
import type { Tokens } from "../sign-in/visitor-call.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Link } from "../ui/link.tsx";
import { loadWords, useWords } from "../words/words.ts";

let place: HTMLElement | undefined;

/** Stays open until the sign-in succeeds, here or in another tab, or is declined. */
export async function showDialog(): Promise<void> {
	if (place !== undefined) return;
	place = document.createElement("div");
	await loadWords(["sign-in"]);
	setTenant(session.value.user?.tenant_id);
	document.body.append(place);
	render(<SessionEndedDialog />, place);
	const stop = effect(() => {
		if (isSignInDue.value) return;
		queueMicrotask(() => {
			stop();
			if (place === undefined) return;
			render(null, place);
			place.remove();
			place = undefined;
		});
	});
}

/** Signs the user in again in place after the session ended, with the steps of the sign-in page. */
function SessionEndedDialog() {
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
