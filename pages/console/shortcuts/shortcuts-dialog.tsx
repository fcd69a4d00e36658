// The active shortcuts of this screen, and the switch that turns them off.

import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useWords } from "../../words/words.ts";
import { hasShortcuts, isHelpShown, setShortcuts, usableShortcuts } from "./shortcuts.ts";
import "./shortcuts-dialog.css";

export function ShortcutsDialog() {
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
