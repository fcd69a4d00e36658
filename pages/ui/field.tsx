// The frame of a form control: label, hint, error and the counter of its limit.

import type { ComponentChildren } from "preact";
import "./field.css";
import { Icon } from "./icon.tsx";
import { danger } from "./icons.ts";
import { uiWords } from "./words.ts";

/** Props of every labelled control. */
export interface FieldProps {
	/** The API's field name, which maps errors to the control. */
	readonly name: string;
	readonly label: string;
	readonly hint?: ComponentChildren;
	/** Takes precedence over the form's error for `name`. */
	readonly error?: string | undefined;
	readonly required?: boolean | undefined;
	/** Shows "Optional" next to the label. */
	readonly optional?: boolean | undefined;
	/** The label is for screen readers only. */
	readonly hideLabel?: boolean | undefined;
	readonly disabled?: boolean | undefined;
}

/** Props of every control whose value is a text. */
export interface TextFieldProps extends FieldProps {
	readonly value: string;
	readonly onValue: (value: string) => void;
	readonly autoFocus?: boolean | undefined;
}

interface FrameProps {
	readonly id: string;
	readonly field: Pick<FieldProps, "label" | "hint" | "optional" | "hideLabel">;
	readonly error: string | undefined;
	/** The limit in code points and the text to count. */
	readonly counter?: { readonly value: string; readonly limit: number } | undefined;
	readonly children: ComponentChildren;
}

export function Field({ id, field, error, counter, children }: FrameProps) {
	return (
		<div class="lk-field">
			<div class={field.hideLabel === true ? "lk-hidden" : "lk-field__head"}>
				<label class="lk-field__label" for={id}>
					{field.label}
				</label>
				{counter !== undefined && <Counter id={id} {...counter} />}
				{field.optional === true && <span class="lk-field__side">{uiWords().optional}</span>}
			</div>
			{children}
			<FieldError id={id} error={error} />
			<FieldHint id={id} hint={field.hint} />
		</div>
	);
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
	if (error === undefined) return null;
	return (
		<div class="lk-field__error" id={`${id}-error`}>
			<Icon shape={danger} />
			<span>{error}</span>
		</div>
	);
}

export function FieldHint({ id, hint }: { id: string; hint: ComponentChildren }) {
	if (hint === undefined) return null;
	return (
		<div class="lk-field__hint" id={`${id}-hint`}>
			{hint}
		</div>
	);
}

/** Counts code points after trimming, like the API; visible from half of the limit, announced once it is exceeded. */
function Counter({ id, value, limit }: { id: string; value: string; limit: number }) {
	const used = [...value.trim()].length;
	const isOver = used > limit;
	const text = isOver ? uiWords().overLimit(used - limit) : uiWords().counter(used, limit);
	return (
		<span id={`${id}-counter`} class={isOver ? "lk-field__side lk-field__side--over" : "lk-field__side"}>
			<span aria-hidden="true">{isOver ? text : used >= limit / 2 ? `${used}/${limit}` : ""}</span>
			<span class="lk-hidden" role={isOver ? "status" : undefined}>
				{text}
			</span>
		</span>
	);
}
