// A button that opens a menu of actions (popover). Arrow keys, Home, End and first letters move; Escape returns to the button.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import "./menu.css";
import { Icon } from "./icon.tsx";
import { type IconShape, more } from "./icons.ts";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

export interface MenuItem {
	readonly label: string;
	readonly icon?: IconShape | undefined;
	readonly tone?: "danger" | undefined;
	/** A line above. */
	readonly startsGroup?: boolean | undefined;
	readonly href?: string | undefined;
	readonly onSelect?: (() => unknown) | undefined;
}

interface MenuProps {
	readonly items: readonly MenuItem[];
	/** Labels the menu, and the button if it has no `children`. */
	readonly label?: string | undefined;
	/** Content of the button; default: three dots. */
	readonly children?: ComponentChildren;
	readonly buttonClass?: string | undefined;
}

export function Menu({ items, label, children, buttonClass }: MenuProps) {
	const id = useUniqueId();
	const button = useRef<HTMLButtonElement>(null);
	const popover = useRef<HTMLDivElement>(null);
	const [isOpen, setOpen] = useState(false);
	const entries = () => [...(popover.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
	/** Render the items before showing the popover, and place it before it is painted. */
	const onBeforeToggle = ({ newState }: { readonly newState: string }) => {
		if (newState !== "open") return;
		setOpen(true);
		requestAnimationFrame(() => {
			if (popover.current !== null && button.current !== null) place(popover.current, button.current);
			entries()[0]?.focus();
		});
	};
	return (
		<>
			<button
				ref={button}
				type="button"
				class={buttonClass ?? "lk-icon-button lk-menu-button"}
				popovertarget={id}
				aria-haspopup="menu"
				aria-expanded={isOpen ? "true" : "false"}
				aria-label={children === undefined ? (label ?? uiWords().moreActions) : undefined}
			>
				{children ?? <Icon shape={more} />}
			</button>
			<div
				ref={popover}
				id={id}
				popover="auto"
				role="menu"
				aria-label={label ?? uiWords().moreActions}
				class="lk-menu"
				onBeforeToggle={onBeforeToggle}
				onToggle={({ newState }) => setOpen(newState === "open")}
				onKeyDown={(event) => moveFocus(event, entries(), () => popover.current?.hidePopover())}
			>
				{isOpen &&
					items.map((item) => (
						<Entry key={item.label} item={item} onDone={() => popover.current?.hidePopover()} />
					))}
			</div>
		</>
	);
}

function Entry({ item, onDone }: { item: MenuItem; onDone: () => void }) {
	const { label, icon, tone, startsGroup = false, href, onSelect } = item;
	const Element = href === undefined ? "button" : "a";
	return (
		<>
			{startsGroup && <hr class="lk-menu__line" />}
			<Element
				role="menuitem"
				tabIndex={-1}
				class={tone === "danger" ? "lk-menu__item lk-menu__item--danger" : "lk-menu__item"}
				{...(href === undefined ? { type: "button" as const } : { href })}
				onClick={() => {
					onDone();
					onSelect?.();
				}}
			>
				{icon !== undefined && <Icon shape={icon} />}
				{label}
			</Element>
		</>
	);
}

function moveFocus(event: KeyboardEvent, entries: readonly HTMLElement[], close: () => void): void {
	const at = entries.indexOf(document.activeElement as HTMLElement);
	const { key } = event;
	if (key === "Tab") close();
	const to =
		key === "ArrowDown"
			? (at + 1) % entries.length
			: key === "ArrowUp"
				? (at - 1 + entries.length) % entries.length
				: key === "Home"
					? 0
					: key === "End"
						? entries.length - 1
						: [...key].length === 1 && key !== " "
							? entries.findIndex((entry, index) => index !== at && startsWith(entry, key))
							: -1;
	if (to < 0) return;
	event.preventDefault();
	entries[to]?.focus();
}

function startsWith(entry: HTMLElement, letter: string): boolean {
	return (entry.textContent ?? "").trim().toLowerCase().startsWith(letter.toLowerCase());
}

const GAP = 4;
const MARGIN = 8;

/** Below the button, or above it where there is more room; aligned with its end, or its start where that fits better. */
function place(popover: HTMLElement, button: HTMLElement): void {
	const anchor = button.getBoundingClientRect();
	const { offsetWidth: width, offsetHeight: height } = popover;
	const { clientWidth, clientHeight } = document.documentElement;
	const isRightToLeft = getComputedStyle(button).direction === "rtl";
	const isAbove = anchor.bottom + GAP + height > clientHeight && anchor.top > clientHeight - anchor.bottom;
	const startAligned = isRightToLeft ? anchor.right - width : anchor.left;
	const endAligned = isRightToLeft ? anchor.left : anchor.right - width;
	const fits = endAligned >= MARGIN && endAligned + width <= clientWidth - MARGIN;
	const left = Math.min(fits ? endAligned : startAligned, clientWidth - width - MARGIN);
	popover.style.left = `${Math.max(MARGIN, left)}px`;
	popover.style.top = `${Math.max(MARGIN, isAbove ? anchor.top - height - GAP : anchor.bottom + GAP)}px`;
}
