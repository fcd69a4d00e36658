// New recovery codes, shown once: to copy, to save, to print.

import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SecretList } from "../ui/secret-list.tsx";
import { useWords } from "../words/words.ts";
import "./recovery-codes-dialog.css";

interface RecoveryCodesDialogProps {
	readonly codes: readonly string[];
	readonly onClose: () => void;
}

/** Closed by the button only: Escape would lose the codes. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
	const t = useWords("account");
	const actions = (
		<>
			<Button onClick={() => print()}>{t.print}</Button>
			<Button variant="primary" onClick={onClose}>
				{t.codesSaved}
			</Button>
		</>
	);
	return (
		<Dialog isBlocking onClose={onClose} title={t.codesTitle} actions={actions}>
			<div class="lk-stack account-codes">
				<p>{t.codesText}</p>
				<SecretList
					label={t.codesTitle}
					warning={t.codesOnce}
					secrets={codes}
					fileName="recovery-codes.txt"
					fileTitle={t.codesFileTitle(location.host)}
				/>
			</div>
		</Dialog>
	);
}
