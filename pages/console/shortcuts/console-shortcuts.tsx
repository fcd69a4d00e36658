// The shortcuts of every screen, and their help.

import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useWords } from "../../words/words.ts";
import {
	hasShortcuts,
	isHelpShown,
	setShortcuts,
	usableShortcuts,
	useShortcutKeys,
	useShortcuts,
} from "./shortcuts.ts";
import "./shortcuts-dialog.css";

export function ConsoleShortcuts() {
	const { shortcuts: t } = useWords("console");
	useShortcutKeys();
	useShortcuts(
		[
			{
				key: "/",
				does: t.search,
				run: () => searchField()?.focus(),
				isUsable: () => searchField() !== undefined,
			},
			{ key: "?", does: t.help, run: showShortcuts },
		],
		"console",
	);
	return isHelpShown.value ? <ShortcutsDialog /> : null;
}

export function showShortcuts(): void {
	isHelpShown.value = true;
}

/** The first search box of the screen. */
function searchField(): HTMLInputElement | undefined {
	const fields = [...document.querySelectorAll<HTMLInputElement>("main input[type=search]")];
	return fields.find((field) => field.checkVisibility());
}

/** The active shortcuts of this screen, and the switch that turns them off. */
function ShortcutsDialog() {
	const { shortcuts: t } = useWords("console");
	const close = () => {
		isHelpShown.value = false;
	};
	return (
		<Dialog onClose={close} title={t.title} size="small">
			<div class="lk-stack">
				<dl class="lk-shortcuts">
					{usableShortcuts().map(({ key, does }) => (
						<div key={key}>
							<dt>
								<kbd>{key}</kbd>
							</dt>
							<dd>{does}</dd>
						</div>
					))}
				</dl>
				<Checkbox
					name="shortcuts"
					label={t.use}
					hint={t.useHint}
					checked={hasShortcuts.value}
					onValue={setShortcuts}
				/>
			</div>
		</Dialog>
	);
}
