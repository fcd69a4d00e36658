// The command palette: opens a screen or a record, or does something, by a few letters of its name.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useQuery } from "../../api/query.ts";
import { useSettled } from "../../api/settled.ts";
import { ErrorText } from "../../ui/error-text.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { beforeLeaving } from "../editing/before-leaving.ts";
import { actionEntries, ownEntries } from "./action-entries.ts";
import { findAnything, findFor } from "./acts.ts";
import {
	type Act,
	forgetShortLists,
	isId,
	type PaletteEntry,
	type ScreenLink,
	screenEntries,
} from "./find-entries.ts";
import { rankOf } from "./rank.ts";
import "./palette.css";

/** Shorter texts match too much. */
const SEARCHED_MIN = 2;
const RECENT_MAX = 5;

/** Records that were opened here, the last one first; in memory only. */
let recent: readonly PaletteEntry[] = [];

interface PaletteProps {
	readonly screens: readonly ScreenLink[];
	readonly onClose: () => void;
}

export function Palette({ screens, onClose }: PaletteProps) {
	const t = useWords("console-palette");
	const [, navigate] = useLocation();
	const dialog = useRef<HTMLDialogElement>(null);
	const [typed, setTyped] = useState("");
	const [at, setAt] = useState(0);
	const listId = useUniqueId();
	const [act, setAct] = useState<Act>();
	const q = useSettled(typed);
	const records = useQuery(q.length < SEARCHED_MIN ? undefined : `palette ${act} ${q}`, (signal) =>
		act === undefined ? findAnything(q, t, signal) : findFor(act, q, signal),
	);
	const isCurrent = typed.trim() === q && q.length >= SEARCHED_MIN && !records.isLoading;
	// Of the screen below, as it was when the palette opened.
	const own = useMemo(() => ownEntries(t), []);
	useEffect(forgetShortLists, []);
	const known =
		act !== undefined
			? []
			: [
					...own,
					...recent.filter(({ target }) => target !== location.pathname),
					...actionEntries(screens, t),
					...screenEntries(screens),
				];
	const found = isCurrent ? records.data : undefined;
	const entries = typed.trim() === "" ? known : ranked(typed, known, found?.entries ?? []);
	const error = records.error ?? found?.error;
	const chosen = entries[Math.min(at, entries.length - 1)];
	useLayoutEffect(() => {
		const opener = document.activeElement;
		const element = dialog.current;
		element?.showModal();
		return () => {
			element?.close();
			if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
		};
	}, []);
	useLayoutEffect(() => {
		dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [chosen]);
	const open = (entry: PaletteEntry) => {
		const { target } = entry;
		if (typeof target === "object") {
			setAct(target.act);
			setTyped("");
			return;
		}
		onClose();
		const isRecord = entry.kind !== "screen" && entry.kind !== "action";
		// A record that was opened for a dialog is not opened for it again.
		if (isRecord && typeof target === "string" && !target.includes("#"))
			recent = [entry, ...recent.filter((other) => other.target !== target)].slice(0, RECENT_MAX);
		// After the palette has returned the focus.
		setTimeout(typeof target === "string" ? () => beforeLeaving(() => navigate(target)) : target);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (by !== 0 && entries.length > 0) {
			event.preventDefault();
			setAt((before) => (Math.min(before, entries.length - 1) + by + entries.length) % entries.length);
		} else if (event.key === "Enter" && chosen !== undefined && !event.isComposing) {
			event.preventDefault();
			open(chosen);
		}
	};
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
		<dialog
			ref={dialog}
			class="lk-palette"
			aria-label={t.title}
			onCancel={onClose}
			onClick={(event) => {
				if (event.target === dialog.current) onClose();
			}}
		>
			<input
				class="lk-palette__input"
				type="text"
				role="combobox"
				aria-label={t.title}
				aria-expanded="true"
				aria-controls={listId}
				aria-activedescendant={chosen === undefined ? undefined : `${listId}-${entries.indexOf(chosen)}`}
				autocomplete="off"
				spellcheck={false}
				dir="auto"
				placeholder={act === undefined ? t.placeholder : t.acts[act].asks}
				value={typed}
				onInput={({ currentTarget }) => {
					setTyped(currentTarget.value);
					setAt(0);
				}}
				onKeyDown={onKeyDown}
			/>
			<div id={listId} role="listbox" aria-label={t.title} class="lk-palette__list">
				{entries.map((entry, index) => (
					<Option
						key={`${entry.kind} ${entry.name} ${index}`}
						id={`${listId}-${index}`}
						entry={entry}
						isChosen={entry === chosen}
						onOpen={() => open(entry)}
					/>
				))}
			</div>
			<p role="status" class={entries.length === 0 && isCurrent ? "lk-palette__none" : "lk-hidden"}>
				{entries.length === 0 && isCurrent ? t.none : t.count(entries.length)}
			</p>
			{error !== undefined && (
				<div class="lk-palette__none" role="alert">
					<ErrorText error={error} />
				</div>
			)}
		</dialog>
	);
}

/** The best matches first; equal ones in their order. A recent record is found only once. */
function ranked(
	typed: string,
	known: readonly PaletteEntry[],
	found: readonly PaletteEntry[],
): readonly PaletteEntry[] {
	const matching = known.filter(({ name }) => rankOf(name, typed) < 4);
	const targets = new Set(matching.map(({ target }) => target));
	const all = [...matching, ...found.filter(({ target }) => !targets.has(target))];
	if (isId(typed)) return all;
	return all.toSorted((one, other) => rankOf(one.name, typed) - rankOf(other.name, typed));
}

interface OptionProps {
	readonly id: string;
	readonly entry: PaletteEntry;
	readonly isChosen: boolean;
	readonly onOpen: () => void;
}

function Option({ id, entry: { name, detail, kind }, isChosen, onOpen }: OptionProps) {
	const { screens } = useWords("console");
	const { kinds } = useWords("console-palette");
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the field, which handles the keys
		// biome-ignore lint/a11y/useFocusableInteractive: as above
		<div id={id} role="option" aria-selected={isChosen} class="lk-palette__option" onClick={onOpen}>
			<span class="lk-palette__name lk-one-line">
				<bdi>{name}</bdi>
			</span>
			{detail !== undefined && (
				<span class="lk-palette__detail lk-one-line">
					<bdi>{detail}</bdi>
				</span>
			)}
			<span class="lk-palette__kind">
				{kind in kinds ? kinds[kind as keyof typeof kinds] : screens[kind as keyof typeof screens]}
			</span>
		</div>
	);
}
