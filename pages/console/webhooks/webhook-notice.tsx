// Why a webhook receives nothing, with the action that resolves it.

import type { ApiError } from "../../api/error.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";

interface WebhookNoticeProps {
	readonly webhook: Schemas["Webhook"];
	/** Undefined if the user may not enable it. */
	readonly onEnable: (() => unknown) | undefined;
	readonly isPending: boolean;
	readonly error: ApiError | undefined;
}

export function WebhookNotice({ webhook, onEnable, isPending, error }: WebhookNoticeProps) {
	const t = useWords("console-settings").webhooks;
	const { status, disabled_reason: reason, failing_since: since, recent_failures: failed } = webhook;
	if (status === "disabled") {
		const enable =
			onEnable === undefined ? undefined : (
				<Button size="small" pending={isPending} onClick={() => onEnable()}>
					{t.enable}
				</Button>
			);
		return (
			<>
				{error !== undefined && (
					<Notice tone="danger">
						<ErrorText error={error} />
					</Notice>
				)}
				<Notice tone={reason === "admin" ? "info" : "warning"} title={t.disabledBy[reason]} action={enable}>
					{t.disabledText}
				</Notice>
			</>
		);
	}
	if (!webhook.failing) return null;
	return (
		<Notice tone="warning" title={t.failingTitle}>
			{failed > 0 && t.failedOf(failed, webhook.recent_attempts)}{" "}
			{since !== null && t.failingText(format.dateTime(since))}
		</Notice>
	);
}
