// Requests a mailed link to reset the password. The response is the same whether or not the address has an account.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { useShownError } from "./shown-error.ts";
import type { StepProps } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

export function ForgottenStep({ Frame, username, onRestart }: StepProps) {
	const t = useWords("sign-in-steps");
	const [sentTo, setSentTo] = useState<string>();
	return (
		<Frame title={t.forgottenTitle} lead={sentTo === undefined ? t.forgottenText : undefined}>
			{sentTo === undefined ? (
				<AskForLink known={username.includes("@") ? username : ""} onSent={setSentTo} />
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

function AskForLink({ known, onSent }: { known: string; onSent: (email: string) => void }) {
	const t = useWords("sign-in-steps");
	const [email, setEmail] = useState(known);
	const step = useFirstFocus();
	const ask = useAction(async () => {
		await visitorCall("POST /auth/password/forgot", { email });
		onSent(email.trim());
	});
	const error = useShownError(ask.error);
	return (
		<div ref={step}>
			<Form onSubmit={() => ask.run()} error={error} pending={ask.isPending}>
				<TextInput
					name="email"
					type="email"
					label={t.email}
					value={email}
					onValue={setEmail}
					autoComplete="email"
				/>
				<Button type="submit" variant="primary" wide pending={ask.isPending}>
					{t.sendLink}
				</Button>
			</Form>
		</div>
	);
}
