// The subscribed events of a webhook, and details of its secret.

import type { Schemas } from "../../api/routes.ts";
import { BadgeList } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { eventInWords } from "./webhooks.tsx";

export function WebhookSettings({ webhook }: { readonly webhook: Schemas["Webhook"] }) {
	const t = useWords("console-settings").webhooks;
	const { previous_secret_expires_at: previousEnds, last_delivered_at: deliveredAt } = webhook;
	const secret = (
		<span>
			{t.secretEnds(webhook.secret_hint)}, {t.secretSince}{" "}
			<Time at={webhook.secret_created_at} format="datetime" />
		</span>
	);
	const previous = previousEnds !== null && (
		<span>
			{t.signsUntil} <Time at={previousEnds} format="datetime" />
		</span>
	);
	return (
		<Card title={t.settings}>
			<DescriptionList
				items={[
					{ term: t.url, value: webhook.url },
					{
						term: t.events,
						value: <BadgeList names={webhook.event_types.map((type) => eventInWords(type, t))} />,
					},
					{ term: t.secret, value: secret },
					...(previous === false ? [] : [{ term: t.previousSecret, value: previous }]),
					{
						term: t.lastDelivered,
						value: deliveredAt === null ? t.never : <Time at={deliveredAt} />,
					},
					{ term: t.created, value: <Time at={webhook.created_at} format="datetime" /> },
				]}
			/>
		</Card>
	);
}
