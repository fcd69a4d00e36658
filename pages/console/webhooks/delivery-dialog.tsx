// One delivery: its payload and its result.

import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { Result } from "./delivery-columns.tsx";

interface DeliveryDialogProps {
	readonly delivery: Schemas["WebhookDelivery"];
	readonly onClose: () => void;
}

export function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps) {
	const t = useWords("console-settings").webhooks;
	const { last_attempt_at: lastAt, next_attempt_at: nextAt } = delivery;
	const code = JSON.stringify(delivery.payload, undefined, 2);
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
						...(delivery.last_error === "" ? [] : [{ term: t.error, value: delivery.last_error }]),
						{ term: t.lastAttempt, value: lastAt && <Time at={lastAt} format="datetime" /> },
						...(nextAt === null
							? []
							: [{ term: t.nextAttempt, value: <Time at={nextAt} format="datetime" /> }]),
						{ term: t.deliveryId, value: <code>{delivery.id}</code> },
					]}
				/>
				<CodeBlock label={t.payload} snippets={[{ key: "json", label: t.payload, code }]} />
			</div>
		</Dialog>
	);
}
