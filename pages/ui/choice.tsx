// Checkboxes and radio buttons: the native controls beside their labels.

import type { ComponentChildren } from "preact";
import "./box.css";
import "./choice.css";
import { FieldError, FieldHint, type FieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { controlAttributes } from "./text-input.tsx";

interface CheckboxProps extends FieldProps {
	readonly value: boolean;
	readonly onValue: (checked: boolean) => void;
	/** Some of the entries that the box selects are selected. */
	readonly indeterminate?: boolean | undefined;
}

export function Checkbox(props: CheckboxProps) {
	const { id, error, describedBy } = useField(props.name, props);
	return (
		<div class="lk-choice">
			<input
				{...controlAttributes(props, { id, error, describedBy })}
				class="lk-box"
				type="checkbox"
				checked={props.value}
				indeterminate={props.indeterminate ?? false}
				onChange={(event) => props.onValue(event.currentTarget.checked)}
			/>
			<div>
				<label class={props.hideLabel === true ? "lk-hidden" : "lk-choice__label"} for={id}>
					{props.label}
				</label>
				<FieldHint id={id} hint={props.hint} />
				<FieldError id={id} error={error} />
			</div>
		</div>
	);
}

interface RadioGroupProps<Value extends string> extends FieldProps {
	readonly value: Value | undefined;
	readonly onValue: (value: Value) => void;
	readonly options: readonly {
		readonly value: Value;
		readonly label: string;
		readonly hint?: ComponentChildren;
	}[];
}

export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
	const { id, error, describedBy } = useField(props.name, props);
	return (
		<fieldset class="lk-choices" aria-describedby={describedBy} disabled={props.disabled ?? false}>
			<legend class={props.hideLabel === true ? "lk-hidden" : "lk-choices__legend"}>{props.label}</legend>
			{props.options.map((option, index) => (
				<div class="lk-choice" key={option.value}>
					<input
						id={index === 0 ? id : `${id}-${index}`}
						class="lk-box"
						type="radio"
						name={props.name}
						value={option.value}
						checked={option.value === props.value}
						aria-invalid={error === undefined ? undefined : "true"}
						aria-describedby={option.hint === undefined ? undefined : `${id}-${index}-hint`}
						onChange={() => props.onValue(option.value)}
					/>
					<div>
						<label class="lk-choice__label" for={index === 0 ? id : `${id}-${index}`}>
							{option.label}
						</label>
						<FieldHint id={`${id}-${index}`} hint={option.hint} />
					</div>
				</div>
			))}
			<FieldHint id={id} hint={props.hint} />
			<FieldError id={id} error={error} />
		</fieldset>
	);
}
