// The state of a webhook, and its URL without the scheme.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { useWords } from "../../words/words.ts";

type Webhook = Schemas["Webhook"];

const TONES = { active: "success", failing: "warning", disabled: "neutral" } as const;

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
	const t = useWords("console-settings").webhooks;
	const state = stateOf(webhook);
	return (
		<Badge tone={TONES[state]} dot>
			{t.states[state]}
		</Badge>
	);
}

export function stateOf({ status, failing_since: failingSince }: Webhook): keyof typeof TONES {
	if (status === "disabled") return "disabled";
	return failingSince === null ? "active" : "failing";
}

/** `partner.example/hooks`: all URLs start with https. */
export function shortUrl({ url }: Pick<Webhook, "url">): string {
	return url.replace(/^https:\/\//, "").replace(/\/$/, "");
}
