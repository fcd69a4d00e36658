// The forms around a mailed code: the address that receives it, and the code.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { Form } from "../ui/form.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { ResendCode, type ResendWords, type SentCode } from "./resend-code.tsx";
import { useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";

const AT_FIELDS = { "code.invalid": "code" };

interface AddressFormProps {
	readonly words: { readonly email: string; readonly sendCode: string };
	readonly email: string;
	readonly onEmail: (email: string) => void;
	readonly onSend: () => Promise<void>;
}

export function AddressForm({ words, email, onEmail, onSend }: AddressFormProps) {
	const step = useFirstFocus();
	const send = useAction(onSend);
	const error = useShownError(send.error);
	return (
		<div ref={step}>
			<Form onSubmit={() => send.run()} error={error} pending={send.isPending}>
				<TextInput
					name="email"
					type="email"
					label={words.email}
					value={email}
					onValue={onEmail}
					autoComplete="email"
					required
				/>
				<Button type="submit" variant="primary" wide pending={send.isPending}>
					{words.sendCode}
				</Button>
			</Form>
		</div>
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
	const step = useFirstFocus();
	const enter = useAction(async (typed: string) => {
		await onChecked(await check(typed), typed);
	});
	const resend = useAction(async () => {
		enter.reset();
		await onResend();
		setCode("");
		announce(words.codeSentAgain);
	});
	const error = useShownError(enter.error ?? resend.error, AT_FIELDS);
	return (
		<div class="lk-stack" ref={step}>
			<Form onSubmit={() => enter.run(code)} error={error} pending={enter.isPending}>
				<CodeInput
					name="code"
					label={words.code}
					value={code}
					onValue={setCode}
					onComplete={enter.run}
					boxes
					required
				/>
				<Button type="submit" variant="primary" wide pending={enter.isPending}>
					{words.continue}
				</Button>
			</Form>
			<ResendCode sent={sent} words={words} onResend={resend.run} pending={resend.isPending} />
		</div>
	);
}
