// Requests a mailed link to reset the password. The response is the same whether or not the address has an account.

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { AddressForm } from "./mailed-code-forms.tsx";
import type { StepProps } from "./step.ts";
import { visitorCall } from "./visitor-call.ts";

export function ForgottenStep({ Frame, username, onRestart }: StepProps) {
	const t = useWords("sign-in-steps");
	const [email, setEmail] = useState(username.includes("@") ? username : "");
	const [sentTo, setSentTo] = useState<string>();
	const send = async () => {
		await visitorCall("POST /auth/password/forgot", { email });
		setSentTo(email.trim());
	};
	return (
		<Frame title={t.forgottenTitle} lead={sentTo === undefined ? t.forgottenText : undefined}>
			{sentTo === undefined ? (
				<AddressForm
					label={t.email}
					submitLabel={t.sendLink}
					email={email}
					onEmail={setEmail}
					onSend={send}
				/>
			) : (
				<Notice tone="success" title={t.linkSentTitle}>
					{t.linkSent(sentTo)}
				</Notice>
			)}
			<Button variant="quiet" wide onClick={onRestart}>
				{t.backToSignIn}
			</Button>
		</Frame>
	);
}
