// Short messages after an action, spoken by screen readers. Errors stay until they are dismissed. They do not block the pointer
// for what they cover, except for their buttons.

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import "./status-line.css";
import { Icon } from "./icon.tsx";
import { close } from "./icons.ts";
import { TONE_SHAPES, type Tone } from "./notice.tsx";
import { useUniqueId } from "./unique-id.ts";
import { uiWords } from "./words.ts";

interface Status {
	readonly id: number;
	readonly text: string;
	readonly tone: Tone;
	/** Reverses what the message reports. */
	readonly undo: (() => unknown) | undefined;
}

const SHOWN_MS = 6_000;
/** With a button. */
const UNDO_MS = 12_000;
const SHOWN_MAX = 3;

const statuses = signal<readonly Status[]>([]);
/** The mounted lines; the last one shows the messages. */
const lines = signal<readonly string[]>([]);
let lastId = 0;

/** Shows a message, replacing one that would disappear by itself. A fourth error replaces the oldest. */
export function announce(text: string, tone: Tone = "success", undo?: () => unknown): void {
	lastId += 1;
	statuses.value = [...statuses.value.filter(stays), { id: lastId, text, tone, undo }].slice(-SHOWN_MAX);
}

function stays({ tone }: Pick<Status, "tone">): boolean {
	return tone === "danger";
}

function dismiss(id: number): void {
	statuses.value = statuses.value.filter((status) => status.id !== id);
}

/** Shows messages of `announce`. Every shell and every dialog has one, because a modal dialog hides what it covers. */
export function StatusLine() {
	const id = useUniqueId();
	useLayoutEffect(() => {
		lines.value = [...lines.value, id];
		return () => {
			lines.value = lines.value.filter((line) => line !== id);
		};
	}, [id]);
	const isTopmost = lines.value.at(-1) === id;
	return (
		<section class="lk-status-line" aria-label={uiWords().notifications} aria-live="polite">
			{isTopmost && statuses.value.map((status) => <Message key={status.id} {...status} />)}
		</section>
	);
}

function Message({ id, text, tone, undo }: Status) {
	const isError = stays({ tone });
	useEffect(() => {
		if (isError) return;
		const timer = setTimeout(() => dismiss(id), undo === undefined ? SHOWN_MS : UNDO_MS);
		return () => clearTimeout(timer);
	}, [id, isError]);
	return (
		<div class={`lk-status lk-status--${tone}`}>
			<Icon shape={TONE_SHAPES[tone]} />
			<span class="lk-status__text">{text}</span>
			{undo !== undefined && (
				<button
					type="button"
					class="lk-status__undo"
					onClick={() => {
						dismiss(id);
						undo();
					}}
				>
					{uiWords().undo}
				</button>
			)}
			{isError && (
				<button
					type="button"
					class="lk-icon-button lk-status__close"
					aria-label={uiWords().dismiss}
					onClick={() => dismiss(id)}
				>
					<Icon shape={close} />
				</button>
			)}
		</div>
	);
}
