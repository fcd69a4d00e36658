// The state of a webhook, and its URL without the scheme.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";

type Webhook = Schemas["Webhook"];

/** Color only for what needs attention. */
const TONES = { active: "plain", failing: "warning", disabled: "neutral" } as const;

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
	const t = useWords("console-settings").webhooks;
	const state = stateOf(webhook);
	const { recent_failures: failed, recent_attempts: all } = webhook;
	const isStopped = ["failing", "gone"].includes(webhook.disabled_reason);
	return (
		<Badge tone={isStopped ? "danger" : TONES[state]} dot={state !== "active"}>
			{t.states[state]}
			{state === "failing" && failed > 0 && ` · ${format.share(failed, all)}`}
		</Badge>
	);
}

export function stateOf({ status, failing }: Webhook): keyof typeof TONES {
	if (status === "disabled") return "disabled";
	return failing ? "failing" : "active";
}

/** `partner.example/hooks`: all URLs start with https. */
export function shortUrl({ url }: Pick<Webhook, "url">): string {
	return url.replace(/^https:\/\//, "").replace(/\/$/, "");
}
