// Enrolls a required second factor that the user does not have yet: an authenticator app or a passkey.

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { application, key } from "../ui/icons.ts";
import { OptionList } from "../ui/option-list.tsx";
import { useWords } from "../words/words.ts";
import { EnrolApp } from "./enrol-app.tsx";
import { EnrolPasskey } from "./enrol-passkey.tsx";
import { hasPasskeys } from "./passkey.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import type { DueStepProps, Enrolled } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";

type Way = "app" | "passkey";

export function EnrolmentStep({ Frame, username, due, onOutcome, onRestart }: DueStepProps) {
	const steps = useWords("sign-in-steps");
	const t = steps.enrolment;
	const [way, setWay] = useState<Way | undefined>(hasPasskeys() ? undefined : "app");
	const [enrolled, setEnrolled] = useState<Enrolled>();
	if (enrolled !== undefined)
		return (
			<Frame title={t.codesTitle} lead={t.codesText}>
				<RecoveryCodes codes={enrolled.recovery_codes} onDone={() => onOutcome(enrolled)} />
			</Frame>
		);
	if (way === undefined)
		return (
			<Frame title={t.title} lead={t.text}>
				<Ways onWay={setWay} />
				<Button variant="quiet" wide onClick={onRestart}>
					{steps.restart}
				</Button>
			</Frame>
		);
	const Enrol = way === "app" ? EnrolApp : EnrolPasskey;
	return (
		<Frame title={way === "app" ? t.appTitle : t.passkeyTitle} lead={way === "app" ? t.scan : t.passkeyText}>
			<Enrol username={username} mfaToken={due.mfa_token} onEnrolled={setEnrolled} />
			<Button variant="quiet" wide onClick={hasPasskeys() ? () => setWay(undefined) : onRestart}>
				{hasPasskeys() ? t.otherWay : steps.restart}
			</Button>
		</Frame>
	);
}

function Ways({ onWay }: { onWay: (way: Way) => void }) {
	const { enrolment: t } = useWords("sign-in-steps");
	const step = useFirstFocus();
	const passkey = { icon: key, title: t.passkey, text: t.passkeyOption, onSelect: () => onWay("passkey") };
	const app = { icon: application, title: t.app, text: t.appOption, onSelect: () => onWay("app") };
	return (
		<div ref={step}>
			<OptionList
				options={[
					{ key: "passkey", ...passkey },
					{ key: "app", ...app },
				]}
			/>
		</div>
	);
}
