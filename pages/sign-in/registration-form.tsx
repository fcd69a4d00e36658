// The second step of a registration: the mailed code, a username, a password and a name.

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { Form } from "../ui/form.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { NewPassword } from "./new-password.tsx";
import { NEW_PASSWORD_CODES, useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

const AT_FIELDS = {
	"code.invalid": "code",
	"username.taken": "username",
	...Object.fromEntries(NEW_PASSWORD_CODES.map((code) => [code, "password"])),
};

interface RegistrationFormProps {
	readonly sent: SentCode;
	readonly onResend: () => Promise<void>;
	readonly onOtherAddress: () => void;
	readonly onRegistered: (registered: Registered) => void;
}

export function RegistrationForm({ sent, onResend, onOtherAddress, onRegistered }: RegistrationFormProps) {
	const t = useWords("sign-up");
	const [code, setCode] = useState("");
	const [username, setUsername] = useState("");
	const [password, setPassword] = useState("");
	const [displayName, setDisplayName] = useState("");
	const step = useFirstFocus();
	const register = useAction(async () => {
		const named = displayName.trim() === "" ? {} : { display_name: displayName };
		const { email } = sent;
		await visitorCall("POST /auth/register", { email, code, username: username.trim(), password, ...named });
		onRegistered({ username: username.trim(), password });
	});
	const resend = useAction(async () => {
		register.reset();
		await onResend();
		announce(t.codeSentAgain);
	});
	const error = useShownError(register.error ?? resend.error, AT_FIELDS);
	return (
		<div class="lk-stack" ref={step}>
			<Form onSubmit={() => register.run()} error={error} pending={register.isPending}>
				<CodeInput name="code" label={t.code} value={code} onValue={setCode} required />
				<TextInput
					name="username"
					label={t.username}
					hint={t.usernameRule}
					value={username}
					onValue={setUsername}
					autoComplete="username"
					required
				/>
				<NewPassword name="password" label={t.password} value={password} onValue={setPassword} />
				<TextInput
					name="display_name"
					label={t.displayName}
					value={displayName}
					onValue={setDisplayName}
					autoComplete="name"
					optional
				/>
				<Button type="submit" variant="primary" wide pending={register.isPending}>
					{t.create}
				</Button>
			</Form>
			<div>
				<ResendCode sent={sent} onResend={resend.run} pending={resend.isPending} />
				<Button variant="quiet" wide onClick={onOtherAddress}>
					{t.otherAddress}
				</Button>
			</div>
		</div>
	);
}

interface ResendCodeProps {
	/** A new object restarts the countdown. */
	readonly sent: SentCode;
	readonly onResend: () => unknown;
	readonly pending: boolean;
}

/** Requests another code, once the API accepts the next request. */
function ResendCode({ sent, onResend, pending }: ResendCodeProps) {
	const t = useWords("sign-up");
	const [left, setLeft] = useState(sent.resendAfterSeconds);
	useEffect(() => {
		const due = Date.now() + sent.resendAfterSeconds * 1_000;
		setLeft(sent.resendAfterSeconds);
		const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((due - Date.now()) / 1_000))), 1_000);
		return () => clearInterval(timer);
	}, [sent]);
	return (
		<Button variant="quiet" wide disabled={left > 0} pending={pending} onClick={onResend}>
			{left > 0 ? t.resendIn(left) : t.resend}
		</Button>
	);
}

/** The credentials for the sign-in that follows. */
export interface Registered {
	readonly username: string;
	readonly password: string;
}

/** A code was sent to `email`; another can be requested after `resendAfterSeconds`. */
export interface SentCode {
	readonly email: string;
	readonly resendAfterSeconds: number;
}
