// Several choices out of a few: checkboxes under one legend.

import "./choice.css";
import { Checkbox } from "./choice.tsx";
import { FieldError, FieldHint, type FieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";

interface CheckboxGroupProps<Value extends string> extends FieldProps {
	readonly values: readonly Value[];
	/** In the order of `options`. */
	readonly onValues: (values: readonly Value[]) => void;
	readonly options: readonly {
		readonly value: Value;
		readonly label: string;
		readonly hint?: string | undefined;
	}[];
}

export function CheckboxGroup<Value extends string>(props: CheckboxGroupProps<Value>) {
	const { name, label, hint, values, options, onValues } = props;
	const { id, error, describedBy } = useField(name, props);
	const toggle = (value: Value, isChosen: boolean) =>
		onValues(
			options
				.map((option) => option.value)
				.filter((other) => (other === value ? isChosen : values.includes(other))),
		);
	return (
		<fieldset
			id={id}
			class="lk-choices"
			tabIndex={-1}
			aria-describedby={describedBy}
			disabled={props.disabled ?? false}
		>
			<legend class={props.hideLabel === true ? "lk-hidden" : "lk-choices__legend"}>{label}</legend>
			{options.map((option) => (
				<Checkbox
					key={option.value}
					name={`${name}-${option.value}`}
					label={option.label}
					hint={option.hint}
					value={values.includes(option.value)}
					onValue={(isChosen) => toggle(option.value, isChosen)}
				/>
			))}
			<FieldError id={id} error={error} />
			<FieldHint id={id} hint={hint} />
		</fieldset>
	);
}
