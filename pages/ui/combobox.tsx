// A line of text that offers matches while the user types. Enter chooses the marked one, at first the first; Escape closes.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import "./combobox.css";
import { Field, type TextFieldProps } from "./field.tsx";
import { useField } from "./form-context.ts";
import { Icon } from "./icon.tsx";
import { chevronDown } from "./icons.ts";
import "./select.css";
import { controlAttributes } from "./text-input.tsx";

interface ComboboxProps extends Omit<TextFieldProps, "autoFocus"> {
	/** For the current value, best first. */
	readonly options: readonly { readonly key: string; readonly content: ComponentChildren }[];
	readonly onChoose: (key: string) => void;
	/** Whether the options are shown: the marked one is also chosen when the user leaves the field. */
	readonly isOpen: boolean;
	readonly onClose: () => void;
	/** The user opens the options of an unchanged value. */
	readonly onOpen?: (() => void) | undefined;
	/** Every text is a value: no option is marked at first, and what the user types stays when they leave the field. */
	readonly isFree?: boolean | undefined;
	/** Not prose: shown in a monospace font. */
	readonly code?: boolean | undefined;
	readonly placeholder?: string | undefined;
	/** Below the options. */
	readonly note?: ComponentChildren;
}

export function Combobox(props: ComboboxProps) {
	const { name, label, value, options, onChoose, isOpen, isFree = false, code = false } = props;
	const { id, error, describedBy } = useField(name, props);
	const first = isFree ? -1 : 0;
	const [at, setAt] = useState(first);
	const chosen = isOpen ? options[Math.min(at, options.length - 1)] : undefined;
	const listId = `${id}-list`;
	const open = () => {
		if (isOpen) return;
		setAt(first);
		props.onOpen?.();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (event.isComposing || event.altKey) return;
		if (!isOpen && by > 0 && props.onOpen !== undefined) open();
		else if (!isOpen) return;
		else if (by !== 0) setAt(next(Math.min(at, options.length - 1), by, options.length));
		else if (event.key === "Enter" && chosen !== undefined) onChoose(chosen.key);
		else if (event.key === "Enter" && isFree) return props.onClose();
		else if (event.key === "Escape") props.onClose();
		else return;
		event.preventDefault();
	};
	return (
		<Field id={id} field={props} error={error}>
			<div class={props.onOpen === undefined ? "lk-combobox" : "lk-combobox lk-select"}>
				<input
					{...controlAttributes(props, { id, error, describedBy })}
					class={code ? "lk-input lk-input--code" : "lk-input"}
					type="text"
					role="combobox"
					aria-autocomplete="list"
					aria-expanded={isOpen ? "true" : "false"}
					aria-controls={listId}
					aria-activedescendant={chosen && `${listId}-${options.indexOf(chosen)}`}
					autocomplete="off"
					spellcheck={false}
					{...(code ? { dir: "ltr" as const, autocapitalize: "none" } : { dir: "auto" as const })}
					value={value}
					placeholder={props.placeholder}
					onInput={({ currentTarget }) => {
						setAt(first);
						props.onValue(currentTarget.value);
					}}
					onKeyDown={onKeyDown}
					onClick={open}
					onBlur={() => {
						if (isFree) props.onClose();
						else if (chosen !== undefined) onChoose(chosen.key);
					}}
				/>
				{props.onOpen !== undefined && <Icon shape={chevronDown} />}
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

/** From no option, up leads to the last. */
function next(at: number, by: number, count: number): number {
	return (Math.max(at, by > 0 ? -1 : 0) + by + count) % count;
}
