// Chooses the event whose example is sent as a test.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { useWords } from "../../words/words.ts";

type EventType = Schemas["WebhookDelivery"]["event_type"];

interface TestDialogProps {
	/** These events come first. */
	readonly subscribed: readonly string[];
	readonly onClose: () => void;
	readonly onChosen: (type: EventType) => void;
}

export function TestDialog({ subscribed, onClose, onChosen }: TestDialogProps) {
	const t = useWords("console-settings").webhooks;
	const isSubscribed = (type: string) =>
		subscribed.includes(type) || subscribed.includes(`${type.split(".")[0]}.*`);
	const types = (Object.keys(t.types) as EventType[]).toSorted(
		(one, other) => Number(isSubscribed(other)) - Number(isSubscribed(one)),
	);
	const [type, setType] = useState(types[0] ?? "webhook.test");
	return (
		<FormDialog
			size="small"
			title={t.testEvent}
			text={t.testEventText}
			submitLabel={t.sendTest}
			onSubmit={() => onChosen(type)}
			onClose={onClose}
		>
			<Select
				name="event_type"
				label={t.event}
				value={type}
				onValue={(value) => setType(value as EventType)}
				options={types.map((value) => ({ value, label: t.types[value] }))}
			/>
		</FormDialog>
	);
}
