// Registration in three steps: the email address, the mailed code, then username and password.

import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";
import type { FrameProps } from "./frame.tsx";
import { AddressForm, CodeForm } from "./mailed-code-forms.tsx";
import type { Registered } from "./registration-form.tsx";
import { RegistrationForm } from "./registration-form.tsx";
import type { SentCode } from "./resend-code.tsx";
import { visitorCall } from "./visitor-call.ts";

interface SignUpStepsProps {
	readonly Frame: ComponentType<FrameProps>;
	readonly lead: ComponentChildren;
	readonly below: ComponentChildren;
	readonly onRegistered: (registered: Registered) => Promise<void>;
}

export function SignUpSteps({ Frame, lead, below, onRegistered }: SignUpStepsProps) {
	const t = useWords("sign-up");
	const [email, setEmail] = useState("");
	const [sent, setSent] = useState<SentCode>();
	const [code, setCode] = useState<string>();
	const send = async () => {
		const { data } = await visitorCall("POST /auth/register/send-code", { email });
		setSent({ email: email.trim(), resendAfterSeconds: data.resend_after });
	};
	if (sent === undefined)
		return (
			<Frame title={t.title} lead={lead ?? t.text} below={below}>
				<AddressForm
					label={t.email}
					submitLabel={t.sendCode}
					email={email}
					onEmail={setEmail}
					onSend={send}
				/>
			</Frame>
		);
	if (code === undefined)
		return (
			<Frame title={t.codeTitle} lead={<bdi>{t.codeSent(sent.email)}</bdi>}>
				<CodeForm
					words={t}
					sent={sent}
					onResend={send}
					check={(code) => visitorCall("POST /auth/register/check-code", { email: sent.email, code })}
					onChecked={(_response, code) => setCode(code)}
				/>
				<Button variant="quiet" wide onClick={() => setSent(undefined)}>
					{t.otherAddress}
				</Button>
			</Frame>
		);
	return (
		<Frame title={t.accountTitle} lead={<bdi>{sent.email}</bdi>}>
			<RegistrationForm
				email={sent.email}
				code={code}
				onCodeExpired={() => setCode(undefined)}
				onRegistered={onRegistered}
			/>
		</Frame>
	);
}
