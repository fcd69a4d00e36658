// A secret that is shown once: to copy, or to save with what belongs to it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SecretBox, type SecretBoxProps } from "../ui/secret-box.tsx";

interface SecretOnceDialogProps extends Pick<SecretBoxProps, "warning" | "secrets" | "file"> {
	readonly title: string;
	readonly onClose: () => void;
	readonly doneLabel: string;
	/** Label of a checkbox that must be ticked before the dialog closes. */
	readonly keptLabel?: string | undefined;
	/** Values above the secret. */
	readonly before?: ComponentChildren;
	/** Help below the secret. */
	readonly children?: ComponentChildren;
}

/** Closes by its button only, because the secret cannot be shown again. */
export function SecretOnceDialog(props: SecretOnceDialogProps) {
	const { title, onClose, doneLabel, keptLabel, before, children, ...box } = props;
	const [isKept, setKept] = useState(keptLabel === undefined);
	const done = (
		<Button variant="primary" disabled={!isKept} onClick={onClose}>
			{doneLabel}
		</Button>
	);
	return (
		<Dialog isBlocking onClose={onClose} title={title} actions={done}>
			<div class="lk-stack">
				{before}
				<SecretBox {...box} />
				{keptLabel !== undefined && (
					<Checkbox name="kept" label={keptLabel} value={isKept} onValue={setKept} />
				)}
				{children}
			</div>
		</Dialog>
	);
}
