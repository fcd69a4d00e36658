// Requests another code, once the API accepts the next request.

import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";
import type { SentCode } from "./sign-up-step.ts";

interface ResendCodeProps {
	/** A new object restarts the countdown. */
	readonly sent: SentCode;
	readonly onResend: () => unknown;
	readonly pending: boolean;
}

export function ResendCode({ sent, onResend, pending }: ResendCodeProps) {
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
