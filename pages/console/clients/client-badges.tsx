// The state of a client as badges.

import { Badge } from "../../ui/badge.tsx";
import { useWords } from "../../words/words.ts";
import { type ApiClient, stateOf } from "./client-record.ts";

const TONES = {
	active: "plain",
	unclaimed: "info",
	disabled: "neutral",
	expired: "danger",
	expiring: "warning",
} as const;

export function ClientBadges({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients;
	const state = stateOf(client);
	return (
		<span class="lk-row">
			<Badge tone={TONES[state]} dot={state !== "active"}>
				{t.states[state]}
			</Badge>
			{client.mode === "test" && <Badge tone="info">{t.testMode}</Badge>}
			{client.dormant && <Badge tone="warning">{t.dormant}</Badge>}
			{client.public_keys.some((key) => key.reviewed_at === null) && (
				<Badge tone="warning">{t.keyNotReviewed}</Badge>
			)}
		</span>
	);
}
