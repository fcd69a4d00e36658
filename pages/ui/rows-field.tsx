// A list with one entry per row. Pasting several lines fills several rows.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import "./choice.css";
import "./rows-field.css";
import { Button } from "./button.tsx";
import { FieldError, FieldHint, type FieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { Icon } from "./icon.tsx";
import { close, plus } from "./icons.ts";
import { controlAttributes } from "./text-input.tsx";
import { type RowsState, useRows } from "./use-rows.ts";
import { uiWords } from "./words.ts";

export interface RowsFieldProps extends FieldProps, RowsState {
	/** For screen readers; rows count from 1. */
	readonly rowLabel: (row: number) => string;
	readonly removeLabel: (row: number) => string;
	/** On the button that adds a row. */
	readonly addLabel: string;
	/** Not called for empty rows. `above` are the entries before it. */
	readonly problemOf?: ((entry: string, above: readonly string[]) => string | undefined) | undefined;
	/** Shown below an entry that is not empty. */
	readonly noteOf?: ((entry: string, index: number) => ComponentChildren) | undefined;
	readonly placeholder?: string | undefined;
}

export function RowsField(props: RowsFieldProps) {
	const { name, label, hint, problemOf, noteOf, disabled = false } = props;
	const { id, error, describedBy } = useField(name, props);
	const { group, rows, add, remove, set, onKeyDown, onPaste } = useRows(props);
	const filled = rows.filter((row) => row.trim() !== "").length;
	let position = 0;
	return (
		<fieldset
			ref={group}
			id={id}
			class="lk-choices lk-rows"
			tabIndex={-1}
			aria-describedby={describedBy}
			disabled={disabled}
		>
			<legend class={props.hideLabel === true ? "lk-hidden" : "lk-choices__legend"}>
				{label}
				{props.optional === true && <span class="lk-field__side">{uiWords().optional}</span>}
			</legend>
			{rows.map((typed, index) => {
				const entry = typed.trim();
				return (
					<Row
						key={index.toString()}
						// The API counts entries; an empty row is not one.
						name={`${name}.${entry === "" ? filled + index : position++}`}
						label={props.rowLabel(index + 1)}
						removeLabel={props.removeLabel(index + 1)}
						value={typed}
						isInvalid={error !== undefined && index === 0}
						problem={entry === "" ? undefined : problemOf?.(entry, rows.slice(0, index))}
						note={entry === "" ? undefined : noteOf?.(entry, index)}
						placeholder={index === 0 ? props.placeholder : undefined}
						onValue={(next) => set(index, next)}
						onKeyDown={(event) => onKeyDown(event, index)}
						onPaste={(event) => onPaste(event, index)}
						onRemove={disabled || (rows.length === 1 && typed === "") ? undefined : () => remove(index)}
					/>
				);
			})}
			{!disabled && (
				<div>
					<Button size="small" icon={plus} onClick={add}>
						{props.addLabel}
					</Button>
				</div>
			)}
			<FieldError id={id} error={error} />
			<FieldHint id={id} hint={hint} />
		</fieldset>
	);
}

interface RowProps {
	readonly name: string;
	readonly label: string;
	readonly removeLabel: string;
	readonly value: string;
	/** The list as a whole has an error. */
	readonly isInvalid: boolean;
	readonly problem: string | undefined;
	readonly note: ComponentChildren;
	readonly placeholder: string | undefined;
	readonly onValue: (value: string) => void;
	readonly onKeyDown: (event: KeyboardEvent) => void;
	readonly onPaste: (event: ClipboardEvent) => void;
	readonly onRemove: (() => void) | undefined;
}

function Row({ name, label, value, problem, note, onRemove, ...row }: RowProps) {
	// A problem is not shown while the entry is typed for the first time.
	const [isChecked, setChecked] = useState(value !== "");
	const { id, error, describedBy } = useField(name, { error: isChecked ? problem : undefined, hint: note });
	return (
		<div class="lk-rows__row">
			<label class="lk-hidden" for={id}>
				{label}
			</label>
			<input
				{...controlAttributes({ name }, { id, error, describedBy })}
				{...(row.isInvalid && { "aria-invalid": "true" })}
				class="lk-input lk-input--code"
				type="text"
				value={value}
				placeholder={row.placeholder}
				autocomplete="off"
				autocapitalize="none"
				spellcheck={false}
				dir="ltr"
				onInput={(event) => row.onValue(event.currentTarget.value)}
				onBlur={() => setChecked(value !== "")}
				onKeyDown={row.onKeyDown}
				onPaste={row.onPaste}
			/>
			{onRemove !== undefined && (
				<button
					type="button"
					class="lk-button lk-button--quiet lk-button--small"
					aria-label={row.removeLabel}
					onClick={onRemove}
				>
					<Icon shape={close} />
				</button>
			)}
			<div class="lk-rows__below" role="status">
				<FieldError id={id} error={error} />
			</div>
			{note !== undefined && (
				<div class="lk-rows__below" id={`${id}-hint`}>
					{note}
				</div>
			)}
		</div>
	);
}
