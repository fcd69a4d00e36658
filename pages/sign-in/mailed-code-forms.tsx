// The forms around a mailed code or link: the address that receives it, and the code.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { CodeInput } from "../ui/code-input.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { ResendCode, type ResendWords, type SentCode } from "./resend-code.tsx";
import { StepForm } from "./step-form.tsx";

const AT_FIELDS = { "code.invalid": "code" };

interface AddressFormProps {
	readonly label: string;
	readonly submitLabel: string;
	readonly email: string;
	readonly onEmail: (email: string) => void;
	readonly onSend: () => Promise<void>;
}

export function AddressForm({ label, submitLabel, email, onEmail, onSend }: AddressFormProps) {
	return (
		<StepForm action={useAction(onSend)} submitLabel={submitLabel}>
			<TextInput
				name="email"
				type="email"
				label={label}
				value={email}
				onValue={onEmail}
				autoComplete="email"
				required
			/>
		</StepForm>
	);
}

interface CodeFormProps<Response> {
	readonly words: ResendWords & {
		readonly code: string;
		readonly continue: string;
		readonly codeSentAgain: string;
	};
	readonly sent: SentCode;
	readonly onResend: () => Promise<void>;
	/** Sends the code. */
	readonly check: (code: string) => Promise<Response>;
	/** With a correct code. */
	readonly onChecked: (response: Response, code: string) => unknown;
}

export function CodeForm<Response>({ words, sent, onResend, check, onChecked }: CodeFormProps<Response>) {
	const [code, setCode] = useState("");
	const enter = useAction(async (typed: string = code) => {
		await onChecked(await check(typed), typed);
	});
	const resend = useAction(async () => {
		enter.reset();
		await onResend();
		setCode("");
		announce(words.codeSentAgain);
	});
	return (
		<StepForm
			action={{ ...enter, error: enter.error ?? resend.error }}
			atFields={AT_FIELDS}
			submitLabel={words.continue}
			below={<ResendCode sent={sent} words={words} onResend={resend.run} pending={resend.isPending} />}
		>
			<CodeInput
				name="code"
				label={words.code}
				value={code}
				onValue={setCode}
				onComplete={enter.run}
				boxes
				required
			/>
		</StepForm>
	);
}
