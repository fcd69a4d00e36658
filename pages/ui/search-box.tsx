// A search field. Passes every change on immediately; list state debounces it.

import { useEffect, useRef } from "preact/hooks";
import { commandKey, hasCommand } from "./command-key.ts";
import { Icon } from "./icon.tsx";
import { close, search } from "./icons.ts";
import "./search-box.css";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

interface SearchBoxProps {
	/** For screen readers; also the default placeholder. */
	readonly label: string;
	readonly value: string;
	readonly onValue: (value: string) => void;
	readonly placeholder?: string | undefined;
	readonly autoFocus?: boolean | undefined;
	/** ⌘K, Ctrl+K, and, except while typing in another field, `/` move the focus here. */
	readonly hasShortcuts?: boolean | undefined;
	/** Enter and the arrow keys, for results below. */
	readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
}

export function SearchBox(props: SearchBoxProps) {
	const {
		label,
		value,
		onValue,
		placeholder = label,
		autoFocus = false,
		hasShortcuts = false,
		onKeyDown,
	} = props;
	const id = useUniqueId();
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => (hasShortcuts ? focusByShortcut(input) : undefined), [hasShortcuts]);
	return (
		<search class="lk-search">
			<label class="lk-hidden" for={id}>
				{label}
			</label>
			<Icon shape={search} />
			<input
				ref={input}
				id={id}
				class="lk-input"
				type="search"
				name="q"
				autocomplete="off"
				spellcheck={false}
				dir="auto"
				value={value}
				placeholder={placeholder}
				// biome-ignore lint/a11y/noAutofocus: a screen that begins with a search
				autoFocus={autoFocus}
				aria-keyshortcuts={hasShortcuts ? "/ Control+K Meta+K" : undefined}
				onInput={(event) => onValue(event.currentTarget.value)}
				onKeyDown={onKeyDown}
			/>
			{value === "" && hasShortcuts && (
				<span class="lk-search__key" aria-hidden="true">
					{commandKey("K")}
				</span>
			)}
			{value !== "" && (
				<button
					type="button"
					class="lk-icon-button lk-search__clear"
					aria-label={uiWords().clear}
					onClick={() => {
						onValue("");
						input.current?.focus();
					}}
				>
					<Icon shape={close} />
				</button>
			)}
		</search>
	);
}

/** Returns a function that removes the listener. */
function focusByShortcut(input: { readonly current: HTMLInputElement | null }): () => void {
	const onKeyDown = (event: KeyboardEvent) => {
		const isIn = (selector: string) => event.target instanceof Element && event.target.closest(selector);
		const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
		const isShortcut = isPlain
			? event.key === "/" && !isIn("input, textarea, select")
			: event.key.toLowerCase() === "k" && hasCommand(event);
		if (!isShortcut || isIn("dialog")) return;
		event.preventDefault();
		input.current?.focus();
		input.current?.select();
	};
	document.addEventListener("keydown", onKeyDown);
	return () => document.removeEventListener("keydown", onKeyDown);
}
