// Several lines of text. The box grows with its content.

import "./text-area.css";
import { Field, type TextFieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { controlAttributes } from "./text-input.tsx";

interface TextAreaProps extends TextFieldProps {
	/** In code points; shown as a counter. */
	readonly limit?: number | undefined;
	readonly rows?: number | undefined;
	readonly placeholder?: string | undefined;
	/** Not prose: one address per line, a key. */
	readonly code?: boolean | undefined;
}

export function TextArea(props: TextAreaProps) {
	const { value, limit, code = false } = props;
	const { id, error, describedBy } = useField(props.name, { ...props, isCounted: limit !== undefined });
	return (
		<Field id={id} field={props} error={error} counter={limit === undefined ? undefined : { value, limit }}>
			<textarea
				{...controlAttributes(props, { id, error, describedBy })}
				class={code ? "lk-input lk-text-area lk-input--code" : "lk-input lk-text-area"}
				rows={props.rows ?? 4}
				value={value}
				placeholder={props.placeholder}
				// biome-ignore lint/a11y/noAutofocus: the caller opens a dialog that begins here
				autoFocus={props.autoFocus ?? false}
				dir={code ? "ltr" : "auto"}
				spellcheck={!code}
				onInput={(event) => props.onValue(event.currentTarget.value)}
			/>
		</Field>
	);
}

/** Trimmed entries, without blank lines. */
export function linesOf(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
