// A password, with a button that shows it.

import { useState } from "preact/hooks";
import "./password-input.css";
import { Field, type TextFieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { Icon } from "./icon.tsx";
import { eye, eyeOff } from "./icons.ts";
import { controlAttributes } from "./text-input.tsx";
import { uiWords } from "./words.ts";

interface PasswordInputProps extends TextFieldProps {
	readonly autoComplete: "current-password" | "new-password" | "off";
}

export function PasswordInput(props: PasswordInputProps) {
	const [isShown, setShown] = useState(false);
	const { id, error, describedBy } = useField(props.name, props);
	return (
		<Field id={id} field={props} error={error}>
			<div class="lk-password">
				<input
					{...controlAttributes(props, { id, error, describedBy })}
					class="lk-input"
					type={isShown ? "text" : "password"}
					value={props.value}
					autocomplete={props.autoComplete}
					autocapitalize="none"
					spellcheck={false}
					dir="ltr"
					// biome-ignore lint/a11y/noAutofocus: the caller opens a step or a dialog that begins here
					autoFocus={props.autoFocus ?? false}
					onInput={(event) => props.onValue(event.currentTarget.value)}
				/>
				<button
					type="button"
					class="lk-icon-button lk-password__reveal"
					aria-label={isShown ? uiWords().hidePassword : uiWords().showPassword}
					aria-controls={id}
					onClick={() => setShown(!isShown)}
				>
					<Icon shape={isShown ? eyeOff : eye} />
				</button>
			</div>
		</Field>
	);
}
