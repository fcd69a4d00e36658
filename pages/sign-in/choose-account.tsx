// The application requires the user to choose an account: that of the session, or another one.

import { session } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";
import { BackToApplication } from "./back-to-application.tsx";
import { type FrameProps, PageFrame } from "./frame.tsx";
import { SignInAgain } from "./refused-entry.tsx";

interface ChooseAccountProps {
	readonly frame: Omit<FrameProps, "children">;
	readonly application: { readonly name: string };
	readonly interaction: string;
	/** With the account of the session. */
	readonly onContinue: () => void;
}

export function ChooseAccount({ frame, application, interaction, onContinue }: ChooseAccountProps) {
	const t = useWords("sign-in-steps");
	const { backTo } = useWords("sign-in");
	return (
		<PageFrame {...frame}>
			<SignInAgain
				label={t.otherAccount}
				first={
					<Button variant="primary" wide onClick={onContinue}>
						{t.continueAs(session.value.user?.username ?? "")}
					</Button>
				}
			/>
			<BackToApplication interaction={interaction} label={backTo(application.name)} />
		</PageFrame>
	);
}
