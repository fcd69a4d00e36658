// Asks before an account elsewhere is unlinked.

import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";

interface ConfirmUnlinkProps {
	readonly account: Schemas["ThirdPartyAccount"];
	/** Of the provider, as people know it. */
	readonly name: string;
	readonly onClose: () => void;
	readonly onUnlinked: () => void;
}

export function ConfirmUnlink({ account: { id }, name, onClose, onUnlinked }: ConfirmUnlinkProps) {
	const t = useWords("account");
	const unlink = useAction(async () => {
		await call("DELETE /users/me/third-party-accounts/{id}", { path: { id } });
		onClose();
		onUnlinked();
		announce(t.accountUnlinked(name));
	});
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.unlinkTitle(name)}
			confirmLabel={t.unlink}
			onConfirm={() => unlink.run()}
			pending={unlink.isPending}
			error={unlink.error}
		>
			{t.unlinkText}
		</ConfirmDialog>
	);
}
