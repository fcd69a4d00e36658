// Tabs: arrow keys move between them, and the chosen panel is shown.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import "./tabs.css";
import { useUniqueId } from "./unique-id.ts";

export interface Tab<Key extends string = string> {
	readonly key: Key;
	readonly label: string;
}

interface TabsProps<Key extends string> {
	/** For screen readers. */
	readonly label: string;
	readonly tabs: readonly Tab<Key>[];
	readonly selected: Key;
	readonly onSelect: (key: Key) => void;
	/** The panel of the selected tab. */
	readonly children: ComponentChildren;
}

export function Tabs<Key extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Key>) {
	const id = useUniqueId();
	const list = useRef<HTMLDivElement>(null);
	const onKeyDown = (event: KeyboardEvent) => {
		const to = target(
			event,
			tabs.findIndex(({ key }) => key === selected),
			tabs.length,
		);
		const tab = tabs[to];
		if (tab === undefined) return;
		event.preventDefault();
		onSelect(tab.key);
		list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
	};
	return (
		<div class="lk-tabs">
			<div ref={list} class="lk-tabs__list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
				{tabs.map((tab) => (
					<button
						key={tab.key}
						type="button"
						role="tab"
						id={`${id}-${tab.key}`}
						class="lk-tabs__tab"
						aria-selected={tab.key === selected ? "true" : "false"}
						aria-controls={tab.key === selected ? `${id}-panel` : undefined}
						tabIndex={tab.key === selected ? 0 : -1}
						onClick={() => onSelect(tab.key)}
					>
						{tab.label}
					</button>
				))}
			</div>
			<div
				class="lk-tabs__panel"
				role="tabpanel"
				id={`${id}-panel`}
				aria-labelledby={`${id}-${selected}`}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a panel of text must be reachable
				tabIndex={0}
			>
				{children}
			</div>
		</div>
	);
}

/** The index of the tab that a key selects, or -1. */
function target(event: KeyboardEvent, at: number, count: number): number {
	const isRightToLeft = getComputedStyle(event.currentTarget as Element).direction === "rtl";
	if (event.key === "Home") return 0;
	if (event.key === "End") return count - 1;
	if (event.key === (isRightToLeft ? "ArrowLeft" : "ArrowRight")) return (at + 1) % count;
	if (event.key === (isRightToLeft ? "ArrowRight" : "ArrowLeft")) return (at - 1 + count) % count;
	return -1;
}
