// The keys of a screen, and the switch that turns them off.

import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { hasShortcuts, setShortcuts } from "./shortcuts.ts";
import "./shortcuts-dialog.css";

export interface ShortcutsDialogProps {
	readonly onClose: () => void;
	readonly title: string;
	readonly switchLabel: string;
	readonly switchHint: string;
	readonly keys: readonly { readonly key: string; readonly does: string }[];
}

export function ShortcutsDialog({ onClose, title, switchLabel, switchHint, keys }: ShortcutsDialogProps) {
	return (
		<Dialog open onClose={onClose} title={title} size="small">
			<div class="lk-stack">
				<dl class="lk-shortcuts">
					{keys.map(({ key, does }) => (
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
					label={switchLabel}
					hint={switchHint}
					checked={hasShortcuts.value}
					onValue={setShortcuts}
				/>
			</div>
		</Dialog>
	);
}
