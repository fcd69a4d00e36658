// Registration in two steps: the email address, then the mailed code with username and password.

import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import type { FrameProps } from "./frame.tsx";
import type { Registered, SentCode } from "./registration-form.tsx";
import { RegistrationForm } from "./registration-form.tsx";
import { useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

interface SignUpStepsProps {
	readonly Frame: ComponentType<FrameProps>;
	readonly lead: ComponentChildren;
	readonly below: ComponentChildren;
	readonly onRegistered: (registered: Registered) => void;
}

export function SignUpSteps({ Frame, lead, below, onRegistered }: SignUpStepsProps) {
	const t = useWords("sign-up");
	const [email, setEmail] = useState("");
	const [sent, setSent] = useState<SentCode>();
	const send = async () => {
		const { data } = await visitorCall("POST /auth/register/send-code", { email });
		setSent({ email: email.trim(), resendAfterSeconds: data.resend_after });
	};
	if (sent === undefined)
		return (
			<Frame title={t.title} lead={lead ?? t.text} below={below}>
				<AddressForm email={email} onEmail={setEmail} onSend={send} />
			</Frame>
		);
	return (
		<Frame title={t.codeTitle} lead={<bdi>{t.codeSent(sent.email)}</bdi>}>
			<RegistrationForm
				sent={sent}
				onResend={send}
				onOtherAddress={() => setSent(undefined)}
				onRegistered={onRegistered}
			/>
		</Frame>
	);
}

interface AddressFormProps {
	readonly email: string;
	readonly onEmail: (email: string) => void;
	readonly onSend: () => Promise<void>;
}

function AddressForm({ email, onEmail, onSend }: AddressFormProps) {
	const t = useWords("sign-up");
	const step = useFirstFocus();
	const send = useAction(onSend);
	const error = useShownError(send.error);
	return (
		<div ref={step}>
			<Form onSubmit={() => send.run()} error={error} pending={send.isPending}>
				<TextInput
					name="email"
					type="email"
					label={t.email}
					value={email}
					onValue={onEmail}
					autoComplete="email"
					required
				/>
				<Button type="submit" variant="primary" wide pending={send.isPending}>
					{t.sendCode}
				</Button>
			</Form>
		</div>
	);
}
