// Shown if loading failed: the reason, and a retry button.

import { Button } from "./button.tsx";
import { ErrorText } from "./error-text.tsx";
import type { FormError } from "./form.tsx";
import { Notice } from "./notice.tsx";
import { RetryNotice } from "./retry-notice.tsx";
import { uiWords } from "./words.ts";

interface LoadErrorProps {
	readonly error: FormError;
	readonly onRetry: () => void;
	readonly pending?: boolean | undefined;
}

/** Counts down before a retry after 429 and 503. */
export function LoadError({ error, onRetry, pending = false }: LoadErrorProps) {
	if (error.retryAfterSeconds !== undefined)
		return (
			<RetryNotice error={error} seconds={error.retryAfterSeconds} pending={pending} onRetry={onRetry} />
		);
	return (
		<Notice
			tone="danger"
			action={
				<Button size="small" pending={pending} onClick={onRetry}>
					{uiWords().tryAgain}
				</Button>
			}
		>
			<ErrorText error={error} />
		</Notice>
	);
}
