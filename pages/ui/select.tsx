// A native select.

import "./select.css";
import { Field, type FieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { Icon } from "./icon.tsx";
import { chevronDown } from "./icons.ts";
import { controlAttributes } from "./text-input.tsx";

interface Option<Value extends string = string> {
	readonly value: Value;
	readonly label: string;
	/** Adjacent options with the same value form a group. */
	readonly group?: string | undefined;
}

interface SelectProps<Value extends string> extends FieldProps {
	readonly value: Value;
	readonly onValue: (value: Value) => void;
	readonly options: readonly Option<Value>[];
}

export function Select<Value extends string>(props: SelectProps<Value>) {
	const { id, error, describedBy } = useField(props.name, props);
	return (
		<Field id={id} field={props} error={error}>
			<div class="lk-select">
				<select
					{...controlAttributes(props, { id, error, describedBy })}
					class="lk-input"
					value={props.value}
					onChange={(event) => props.onValue(event.currentTarget.value as Value)}
				>
					{grouped(props.options).map(([group, options]) =>
						group === undefined ? (
							<Options options={options} />
						) : (
							<optgroup key={group} label={group}>
								<Options options={options} />
							</optgroup>
						),
					)}
				</select>
				<Icon shape={chevronDown} />
			</div>
		</Field>
	);
}

function Options({ options }: { readonly options: readonly Option[] }) {
	return (
		<>
			{options.map(({ value, label }) => (
				<option key={value} value={value}>
					{label}
				</option>
			))}
		</>
	);
}

function grouped(options: readonly Option[]): readonly [group: string | undefined, Option[]][] {
	const groups: [string | undefined, Option[]][] = [];
	for (const option of options) {
		const last = groups.at(-1);
		if (last !== undefined && last[0] === option.group) last[1].push(option);
		else groups.push([option.group, [option]]);
	}
	return groups;
}
