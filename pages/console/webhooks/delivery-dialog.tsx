// One delivery: its attempts with the receiver's responses, its payload, and a request to repeat it by hand.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EntryList } from "../../ui/entry-list.tsx";
import { check, warning } from "../../ui/icons.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { Result } from "./delivery-columns.tsx";

type Delivery = Schemas["WebhookDelivery"];
type Attempt = Schemas["WebhookDeliveryWithHistory"]["history"][number];

interface DeliveryDialogProps {
	readonly delivery: Delivery;
	/** Of the webhook. */
	readonly url: string;
	readonly onClose: () => void;
}

export function DeliveryDialog({ delivery, url, onClose }: DeliveryDialogProps) {
	const t = useWords("console-settings").webhooks;
	const { next_attempt_at: nextAt } = delivery;
	const path = { id: delivery.webhook_id, delivery_id: delivery.id };
	const query = useQuery(`delivery ${delivery.id} ${delivery.attempts}`, (signal) =>
		call("GET /webhooks/{id}/deliveries/{delivery_id}", { path, signal }),
	);
	return (
		<Dialog
			onClose={onClose}
			title={t.types[delivery.event_type]}
			actions={<Button onClick={onClose}>{uiWords().close}</Button>}
		>
			<div class="lk-stack">
				<DescriptionList
					items={[
						{ term: t.result, value: <Result delivery={delivery} t={t} /> },
						...(nextAt === null
							? []
							: [{ term: t.nextAttempt, value: <Time at={nextAt} format="datetime" /> }]),
						{ term: t.deliveryId, value: <code>{delivery.id}</code> },
					]}
				/>
				<Loaded query={query}>{({ data }) => <Attempts attempts={data.history} />}</Loaded>
				<CodeBlock
					label={t.payload}
					snippets={[
						{ key: "json", label: t.payload, code: JSON.stringify(delivery.payload, undefined, 2) },
						{ key: "curl", label: "curl", code: curlOf(delivery, url) },
					]}
				/>
			</div>
		</Dialog>
	);
}

/** The newest first, with what the receiver said. */
function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
	const t = useWords("console-settings").webhooks;
	if (attempts.length === 0) return null;
	return (
		<EntryList
			inset
			label={t.attempts}
			entries={attempts.toReversed().map(({ at, ms, status_code: status, error, answer }) => ({
				key: at,
				icon: error === "" ? check : warning,
				title: (
					<>
						<Time at={at} format="datetime" /> · {status === null ? t.noAnswer : t.answered(status)} ·{" "}
						{t.took(format.number(ms))}
					</>
				),
				detail:
					answer === "" ? (
						error
					) : (
						<pre class="lk-webhook-answer" dir="auto" translate={false}>
							{answer}
						</pre>
					),
			}))}
		/>
	);
}

/** Without a signature: only the service has the secret. */
function curlOf({ id, payload }: Delivery, url: string): string {
	const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
	return [
		`curl ${quoted(url)}`,
		"-H 'content-type: application/json'",
		`-H 'webhook-id: ${id}'`,
		`-d ${quoted(JSON.stringify(payload))}`,
	].join(" \\\n  ");
}
