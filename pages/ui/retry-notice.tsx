// Shown after 429 and 503: counts down the seconds until the action can be retried.

import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { ErrorText, type ShownError } from "./error-text.tsx";
import { Notice } from "./notice.tsx";
import { uiWords } from "./words.ts";

interface RetryNoticeProps {
	/** A new object restarts the countdown. */
	readonly error: ShownError;
	readonly seconds: number;
	readonly onRetry: () => void;
	readonly pending?: boolean | undefined;
}

export function RetryNotice({ error, seconds, onRetry, pending = false }: RetryNoticeProps) {
	const [left, setLeft] = useState(seconds);
	useEffect(() => {
		const due = Date.now() + seconds * 1_000;
		setLeft(seconds);
		const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((due - Date.now()) / 1_000))), 1_000);
		return () => clearInterval(timer);
	}, [error, seconds]);
	const isDue = left === 0;
	return (
		<Notice
			tone="warning"
			isFormError
			action={
				<Button size="small" disabled={!isDue} pending={pending} onClick={onRetry}>
					{isDue ? uiWords().tryAgain : uiWords().tryAgainIn(left)}
				</Button>
			}
		>
			<ErrorText error={error} />
		</Notice>
	);
}
