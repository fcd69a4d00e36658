// Signs in with a mailed code. The response is the same whether or not the address has an account.

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";
import { AddressForm, CodeForm } from "./mailed-code-forms.tsx";
import type { SentCode } from "./resend-code.tsx";
import type { StepProps } from "./step.ts";
import { visitorCall } from "./visitor-call.ts";

interface SentAttempt extends SentCode {
	readonly attempt: string;
}

export function MailedCodeStep({ Frame, username, onOutcome, onRestart }: StepProps) {
	const t = useWords("sign-in-steps");
	const [email, setEmail] = useState(username.includes("@") ? username.trim() : "");
	const [sent, setSent] = useState<SentAttempt>();
	const send = async () => {
		const { data } = await visitorCall("POST /auth/login/send-code", { email });
		setSent({ email: email.trim(), attempt: data.attempt, resendAfterSeconds: data.resend_after });
	};
	const back = (
		<Button variant="quiet" wide onClick={onRestart}>
			{t.backToSignIn}
		</Button>
	);
	if (sent === undefined)
		return (
			<Frame title={t.mailedCodeTitle} lead={t.mailedCodeText}>
				<AddressForm
					label={t.email}
					submitLabel={t.sendCode}
					email={email}
					onEmail={setEmail}
					onSend={send}
				/>
				{back}
			</Frame>
		);
	return (
		<Frame title={t.codeTitle} lead={<bdi>{t.codeSent(sent.email)}</bdi>}>
			<CodeForm
				words={t}
				sent={sent}
				onResend={send}
				check={(code) => visitorCall("POST /auth/login/code", { attempt: sent.attempt, code })}
				onChecked={({ data }) => onOutcome(data)}
			/>
			<div>
				<Button variant="quiet" wide onClick={() => setSent(undefined)}>
					{t.otherAddress}
				</Button>
				{back}
			</div>
		</Frame>
	);
}
