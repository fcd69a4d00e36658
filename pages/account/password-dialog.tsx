// Changes the password.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { announce } from "../ui/status-line.tsx";
import { useWords } from "../words/words.ts";
import { OwnerPassword } from "./owner-password.tsx";

export function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("account");
	const [current, setCurrent] = useState("");
	const [next, setNext] = useState("");
	const change = useAction(async () => {
		const body = { current_password: current, new_password: next };
		const { data } = await call("PUT /users/me/password", { body });
		onClose();
		announce(t.passwordChanged(data.sessions_revoked));
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.changePassword}
			size="small"
			submitLabel={t.changePassword}
			action={change}
		>
			<OwnerPassword name="current_password" value={current} onValue={setCurrent} takesFocus />
			<PasswordInput
				name="new_password"
				label={t.newPassword}
				hint={t.newPasswordHint}
				value={next}
				onValue={setNext}
				autoComplete="new-password"
			/>
		</FormDialog>
	);
}
