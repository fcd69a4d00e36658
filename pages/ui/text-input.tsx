// A line of text.

import type { HTMLAttributes, Ref } from "preact";
import { Field, type FieldProps, type TextFieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";

interface TextInputProps extends TextFieldProps {
	readonly type?: "text" | "email" | "url" | "tel" | "number" | "date" | "datetime-local" | undefined;
	/** In code points; shown as a counter. The API enforces it, so more can be typed. */
	readonly limit?: number | undefined;
	/** Such as `username webauthn`, `email`, `off`. */
	readonly autoComplete?: string | undefined;
	readonly placeholder?: string | undefined;
	readonly readOnly?: boolean | undefined;
	/** Not prose: URLs, keys. Shown in a monospace font. */
	readonly code?: boolean | undefined;
	/** Numbers and dates. */
	readonly min?: string | number | undefined;
	readonly max?: string | number | undefined;
	readonly inputRef?: Ref<HTMLInputElement> | undefined;
}

export function TextInput(props: TextInputProps) {
	const { name, value, limit } = props;
	const { id, error, describedBy } = useField(name, { ...props, isCounted: limit !== undefined });
	const isName = /^username\b/.test(props.autoComplete ?? "");
	const isPlain = props.code === true || ["email", "url"].includes(props.type ?? "");
	return (
		<Field id={id} field={props} error={error} counter={limit === undefined ? undefined : { value, limit }}>
			<input
				{...controlAttributes(props, { id, error, describedBy })}
				ref={props.inputRef ?? null}
				class={props.code === true ? "lk-input lk-input--code" : "lk-input"}
				type={props.type ?? "text"}
				value={value}
				placeholder={props.placeholder}
				min={props.min}
				max={props.max}
				readOnly={props.readOnly}
				autocomplete={props.autoComplete ?? "off"}
				// biome-ignore lint/a11y/noAutofocus: the caller opens a step or a dialog that begins here
				autoFocus={props.autoFocus ?? false}
				dir={isPlain ? "ltr" : "auto"}
				{...(isPlain || isName ? { autocapitalize: "none", spellcheck: false } : {})}
				onInput={(event) => props.onValue(event.currentTarget.value)}
			/>
		</Field>
	);
}

/** The attributes that connect a control to its label, hint and error. */
export function controlAttributes(
	{ name, required, disabled }: Pick<FieldProps, "name" | "required" | "disabled">,
	{ id, error, describedBy }: { id: string; error: string | undefined; describedBy: string | undefined },
) {
	return {
		id,
		name,
		required,
		disabled,
		"aria-invalid": error === undefined ? undefined : "true",
		"aria-describedby": describedBy,
	} satisfies HTMLAttributes & { name: string; required: unknown; disabled: unknown };
}
