// Signs in with a mailed code. The response is the same whether or not the address has an account.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { Form } from "../ui/form.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { clearWhenWrong } from "./clear-when-wrong.ts";
import { ResendCode, type SentCode } from "./resend-code.tsx";
import { useShownError } from "./shown-error.ts";
import type { StepProps } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

const AT_FIELDS = { "code.invalid": "code" };

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
				<AddressForm email={email} onEmail={setEmail} onSend={send} />
				{back}
			</Frame>
		);
	return (
		<Frame title={t.codeTitle} lead={<bdi>{t.codeSent(sent.email)}</bdi>}>
			<CodeForm sent={sent} onResend={send} onOutcome={onOutcome} />
			<div>
				<Button variant="quiet" wide onClick={() => setSent(undefined)}>
					{t.otherAddress}
				</Button>
				{back}
			</div>
		</Frame>
	);
}

interface AddressFormProps {
	readonly email: string;
	readonly onEmail: (email: string) => void;
	readonly onSend: () => Promise<void>;
}

function AddressForm({ email, onEmail, onSend }: AddressFormProps) {
	const t = useWords("sign-in-steps");
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

interface CodeFormProps extends Pick<StepProps, "onOutcome"> {
	readonly sent: SentAttempt;
	readonly onResend: () => Promise<void>;
}

function CodeForm({ sent, onResend, onOutcome }: CodeFormProps) {
	const t = useWords("sign-in-steps");
	const [code, setCode] = useState("");
	const step = useFirstFocus();
	const enter = useAction(async (typed: string) => {
		const response = visitorCall("POST /auth/login/code", { attempt: sent.attempt, code: typed });
		await onOutcome((await clearWhenWrong(response, () => setCode(""))).data);
	});
	const resend = useAction(async () => {
		enter.reset();
		await onResend();
		setCode("");
		announce(t.codeSentAgain);
	});
	const error = useShownError(enter.error ?? resend.error, AT_FIELDS);
	return (
		<div class="lk-stack" ref={step}>
			<Form onSubmit={() => enter.run(code)} error={error} pending={enter.isPending}>
				<CodeInput
					name="code"
					label={t.code}
					value={code}
					onValue={setCode}
					onComplete={enter.run}
					boxes
					required
				/>
				<Button type="submit" variant="primary" wide pending={enter.isPending}>
					{t.continue}
				</Button>
			</Form>
			<ResendCode sent={sent} words={t} onResend={resend.run} pending={resend.isPending} />
		</div>
	);
}
