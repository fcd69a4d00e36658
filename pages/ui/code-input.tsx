// A one-time code: digits from an authenticator app, a mail or a message. Removes spaces and hyphens from pasted codes.

import { useLayoutEffect, useRef } from "preact/hooks";
import "./code-input.css";
import { Field, type TextFieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { controlAttributes } from "./text-input.tsx";

const DIGITS = 6;

interface CodeInputProps extends TextFieldProps {
	/** Called when all digits are typed or pasted. */
	readonly onComplete?: ((value: string) => void) | undefined;
	/** A box for each of six digits, for a step that consists of this control. */
	readonly boxes?: boolean | undefined;
}

export function CodeInput(props: CodeInputProps) {
	const { id, error, describedBy } = useField(props.name, props);
	const input = useRef<HTMLInputElement>(null);
	// Typing replaces a wrong code. An input that is not focused is selected at its focus.
	useLayoutEffect(() => {
		if (error !== undefined && document.activeElement === input.current) input.current?.select();
	}, [error]);
	return (
		<Field id={id} field={props} error={error}>
			<input
				{...controlAttributes(props, { id, error, describedBy })}
				ref={input}
				class={props.boxes === true ? "lk-input lk-code lk-code-boxes" : "lk-input lk-code"}
				type="text"
				inputMode="numeric"
				autocomplete="one-time-code"
				autocapitalize="none"
				spellcheck={false}
				dir="ltr"
				value={props.value}
				// biome-ignore lint/a11y/noAutofocus: the step consists of this control
				autoFocus={props.autoFocus ?? false}
				onFocus={(event) => event.currentTarget.select()}
				onKeyDown={(event) => {
					// A complete code was sent by itself: Enter would send an incomplete one, or a wrong one again.
					const isRefused = error !== undefined || props.value.length !== DIGITS;
					if (event.key === "Enter" && isRefused) event.preventDefault();
				}}
				onInput={(event) => {
					const value = event.currentTarget.value.replaceAll(/[\s-]/g, "");
					event.currentTarget.value = value;
					props.onValue(value);
					if (value.length === DIGITS) props.onComplete?.(value);
				}}
			/>
		</Field>
	);
}
