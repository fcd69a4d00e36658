// Saves or discards the changes of a form, from the lower edge of the window. Shown only while there are changes.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Action } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useWords } from "../../words/words.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import { leave, useUnsaved, waitingNavigation } from "./before-leaving.ts";
import "./save-bar.css";

interface SaveBarProps {
	/** The `id` of the `Form`. */
	readonly form: string;
	readonly isShown: boolean;
	/** Of the form. */
	readonly action: Pick<Action<[], unknown>, "isPending" | "reset">;
	readonly onDiscard: () => void;
}

/** Render it after the form, inside the element that the bar must not leave. Ctrl+S saves, even while the user types. */
export function SaveBar({ form, isShown, action, onDiscard }: SaveBarProps) {
	const t = useWords("console").unsaved;
	const cameFrom = useRef<EventTarget | null>(null);
	const discard = () => {
		action.reset();
		onDiscard();
	};
	const findForm = () => document.getElementById(form) as HTMLFormElement | null;
	useUnsaved(isShown);
	useShortcuts([
		{ key: "Ctrl+S", does: t.save, run: () => findForm()?.requestSubmit(), isUsable: () => isShown },
	]);
	useLayoutEffect(() => {
		// It may cover the field that the user types in.
		if (isShown) document.activeElement?.scrollIntoView({ block: "nearest" });
		if (isShown || cameFrom.current === null) return;
		// The pressed button is gone.
		const field =
			cameFrom.current instanceof HTMLElement && cameFrom.current.isConnected ? cameFrom.current : findForm();
		if (document.activeElement === document.body) field?.focus({ preventScroll: true });
		cameFrom.current = null;
	}, [isShown]);
	return (
		<>
			<span class="lk-hidden" role="status">
				{isShown && t.title}
			</span>
			{isShown && (
				<section
					class="lk-save-bar"
					aria-label={t.title}
					onFocusCapture={({ currentTarget, relatedTarget }) => {
						if (!currentTarget.contains(relatedTarget as Node | null))
							cameFrom.current = relatedTarget ?? findForm();
					}}
				>
					<span class="lk-save-bar__text">{t.title}</span>
					<Button variant="quiet" disabled={action.isPending} onClick={discard}>
						{t.discard}
					</Button>
					<Button type="submit" form={form} variant="primary" pending={action.isPending}>
						{t.save}
					</Button>
				</section>
			)}
			{isShown && waitingNavigation.value !== undefined && (
				<FormDialog
					size="small"
					onClose={() => {
						waitingNavigation.value = undefined;
					}}
					title={t.leaveTitle}
					submitLabel={t.leave}
					tone="danger"
					onSubmit={leave}
					text={t.leaveText}
				/>
			)}
		</>
	);
}
