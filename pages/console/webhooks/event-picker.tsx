// The events of a webhook, chosen one by one or as whole groups.

import type { Schemas } from "../../api/routes.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { FieldError } from "../../ui/field.tsx";
import { useField } from "../../ui/form-context.ts";
import { useWords } from "../../words/words.ts";
import "./event-picker.css";

export type Subscription = Schemas["Webhook"]["event_types"][number];
type EventType = Exclude<Schemas["WebhookDelivery"]["event_type"], "webhook.test">;

interface EventPickerProps {
	readonly values: readonly Subscription[];
	readonly onValues: (values: readonly Subscription[]) => void;
	readonly error?: string | undefined;
}

export function EventPicker({ values, onValues, error: own }: EventPickerProps) {
	const t = useWords("console-settings").webhooks;
	const { id, error } = useField("event_types", { error: own });
	const groups = Object.groupBy(Object.keys(t.types).filter(isSubscribable), groupOf);
	return (
		<fieldset
			id={id}
			class="lk-event-picker"
			tabIndex={-1}
			aria-invalid={error === undefined ? undefined : "true"}
			aria-describedby={`${id}-hint`}
		>
			<legend>{t.events}</legend>
			<FieldError id={id} error={error} />
			<div class="lk-field__hint" id={`${id}-hint`}>
				{t.eventsHint}
			</div>
			<div class="lk-event-picker__groups">
				{Object.entries(groups).map(([group, types = []]) => (
					<Group key={group} group={group} types={types} values={values} onValues={onValues} />
				))}
			</div>
		</fieldset>
	);
}

interface GroupProps extends EventPickerProps {
	readonly group: string;
	readonly types: readonly EventType[];
}

function Group({ group, types, values, onValues }: GroupProps) {
	const t = useWords("console-settings").webhooks;
	const whole = `${group}.*` as Subscription;
	const isWhole = values.includes(whole);
	const chosen = types.filter((type) => values.includes(type));
	const rest = values.filter((value) => groupOf(value) !== group);
	const toggle = (type: EventType, isChosen: boolean) =>
		onValues([...rest, ...types.filter((other) => (other === type ? isChosen : chosen.includes(other)))]);
	return (
		<details class="lk-event-picker__group">
			<summary>
				<span>{t.groups[group] ?? group}</span>
				<span class={isWhole || chosen.length > 0 ? "lk-event-picker__count" : "lk-muted"}>
					{isWhole ? t.chosenAll : t.chosen(chosen.length)}
				</span>
			</summary>
			<div class="lk-event-picker__types">
				<Checkbox
					name={whole}
					label={t.everyEvent}
					value={isWhole}
					indeterminate={!isWhole && chosen.length > 0}
					onValue={(isChosen) => onValues(isChosen ? [...rest, whole] : rest)}
				/>
				{types.map((type) => (
					<Checkbox
						key={type}
						name={type}
						label={t.types[type]}
						hint={<code>{type}</code>}
						value={isWhole || chosen.includes(type)}
						disabled={isWhole}
						onValue={(isChosen) => toggle(type, isChosen)}
					/>
				))}
			</div>
		</details>
	);
}

function isSubscribable(type: string): type is EventType {
	return type !== "webhook.test";
}

function groupOf(type: string): string {
	return type.slice(0, type.indexOf("."));
}
