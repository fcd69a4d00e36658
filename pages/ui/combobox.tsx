// A line of text that offers matches while the user types. Enter chooses the marked one, at first the first; Escape closes.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import "./combobox.css";
import { Field, type FieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { controlAttributes } from "./text-input.tsx";

interface ComboboxProps extends FieldProps {
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** For the current value, best first. */
	readonly options: readonly { readonly key: string; readonly content: ComponentChildren }[];
	readonly onChoose: (key: string) => void;
	/** Whether the options are shown: the marked one is also chosen when the user leaves the field. */
	readonly isOpen: boolean;
	readonly onClose: () => void;
	readonly placeholder?: string | undefined;
	/** Below the options. */
	readonly note?: ComponentChildren;
}

export function Combobox(props: ComboboxProps) {
	const { name, label, value, options, onChoose, isOpen } = props;
	const { id, error, describedBy } = useField(name, props);
	const [at, setAt] = useState(0);
	const chosen = isOpen ? options[Math.min(at, options.length - 1)] : undefined;
	const listId = `${id}-list`;
	const onKeyDown = (event: KeyboardEvent) => {
		const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (!isOpen || event.isComposing) return;
		if (by !== 0) setAt((Math.min(at, options.length - 1) + by + options.length) % options.length);
		else if (event.key === "Enter" && chosen !== undefined) onChoose(chosen.key);
		else if (event.key === "Escape") props.onClose();
		else return;
		event.preventDefault();
	};
	return (
		<Field id={id} field={props} error={error}>
			<div class="lk-combobox">
				<input
					{...controlAttributes(props, { id, error, describedBy })}
					class="lk-input"
					type="text"
					role="combobox"
					aria-autocomplete="list"
					aria-expanded={isOpen ? "true" : "false"}
					aria-controls={listId}
					aria-activedescendant={chosen && `${listId}-${options.indexOf(chosen)}`}
					autocomplete="off"
					spellcheck={false}
					dir="auto"
					value={value}
					placeholder={props.placeholder}
					onInput={({ currentTarget }) => {
						setAt(0);
						props.onValue(currentTarget.value);
					}}
					onKeyDown={onKeyDown}
					onBlur={() => {
						if (chosen !== undefined) onChoose(chosen.key);
					}}
				/>
				<div class="lk-combobox__popup" hidden={!isOpen}>
					<div id={listId} role="listbox" aria-label={label}>
						{options.map((option, index) => (
							// biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the field, which handles the keys
							// biome-ignore lint/a11y/useFocusableInteractive: as above
							<div
								key={option.key}
								id={`${listId}-${index}`}
								role="option"
								aria-selected={option === chosen}
								class="lk-combobox__option"
								onPointerDown={(event) => event.preventDefault()}
								onClick={() => onChoose(option.key)}
							>
								{option.content}
							</div>
						))}
					</div>
					{isOpen && props.note !== undefined && <p class="lk-combobox__note">{props.note}</p>}
				</div>
			</div>
		</Field>
	);
}
