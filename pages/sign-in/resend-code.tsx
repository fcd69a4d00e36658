// Requests another mailed code, once the API accepts the next request.

import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";

/** A code was sent to `email`; another can be requested after `resendAfterSeconds`. */
export interface SentCode {
	readonly email: string;
	readonly resendAfterSeconds: number;
}

export interface ResendWords {
	readonly resend: string;
	resendIn(seconds: number): string;
}

interface ResendCodeProps {
	/** A new object restarts the countdown. */
	readonly sent: SentCode;
	readonly words: ResendWords;
	readonly onResend: () => unknown;
	readonly pending: boolean;
}

export function ResendCode({ sent, words, onResend, pending }: ResendCodeProps) {
	const [left, setLeft] = useState(sent.resendAfterSeconds);
	useEffect(() => {
		const due = Date.now() + sent.resendAfterSeconds * 1_000;
		setLeft(sent.resendAfterSeconds);
		const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((due - Date.now()) / 1_000))), 1_000);
		return () => clearInterval(timer);
	}, [sent]);
	return (
		<Button variant="quiet" wide disabled={left > 0} pending={pending} onClick={onResend}>
			{left > 0 ? words.resendIn(left) : words.resend}
		</Button>
	);
}
