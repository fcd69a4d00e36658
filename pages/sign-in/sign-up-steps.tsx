// Registration in three steps: the email address, the mailed code, then username and password.

import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { Form } from "../ui/form.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { clearWhenWrong } from "./clear-when-wrong.ts";
import type { FrameProps } from "./frame.tsx";
import type { Registered } from "./registration-form.tsx";
import { RegistrationForm } from "./registration-form.tsx";
import { ResendCode, type SentCode } from "./resend-code.tsx";
import { useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

const AT_FIELDS = { "code.invalid": "code" };

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
	const [code, setCode] = useState<string>();
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
	if (code === undefined)
		return (
			<Frame title={t.codeTitle} lead={<bdi>{t.codeSent(sent.email)}</bdi>}>
				<CodeForm sent={sent} onResend={send} onCode={setCode} />
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

interface CodeFormProps {
	readonly sent: SentCode;
	readonly onResend: () => Promise<void>;
	/** With a correct code. */
	readonly onCode: (code: string) => void;
}

function CodeForm({ sent, onResend, onCode }: CodeFormProps) {
	const t = useWords("sign-up");
	const [code, setCode] = useState("");
	const step = useFirstFocus();
	const check = useAction(async (typed: string) => {
		const response = visitorCall("POST /auth/register/check-code", { email: sent.email, code: typed });
		await clearWhenWrong(response, () => setCode(""));
		onCode(typed);
	});
	const resend = useAction(async () => {
		check.reset();
		await onResend();
		announce(t.codeSentAgain);
	});
	const error = useShownError(check.error ?? resend.error, AT_FIELDS);
	return (
		<div class="lk-stack" ref={step}>
			<Form onSubmit={() => check.run(code)} error={error} pending={check.isPending}>
				<CodeInput
					name="code"
					label={t.code}
					value={code}
					onValue={setCode}
					onComplete={check.run}
					boxes
					required
				/>
				<Button type="submit" variant="primary" wide pending={check.isPending}>
					{t.continue}
				</Button>
			</Form>
			<ResendCode sent={sent} words={t} onResend={resend.run} pending={resend.isPending} />
		</div>
	);
}
