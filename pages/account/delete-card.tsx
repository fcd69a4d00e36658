// Lets users delete their own account.

import { call } from "../api/client.ts";
import { signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { useWords } from "../words/words.ts";
import { ownUser } from "./own-user.ts";
import { proveOwner } from "./owner-dialog.tsx";

export function DeleteCard() {
	const t = useWords("account");
	const ask = async () => {
		const deleted = await proveOwner({
			title: t.deleteTitle,
			text: t.deleteText,
			confirmLabel: t.deleteAccount,
			tone: "danger",
			typeToConfirm: ownUser().username,
			act: (password) => call("DELETE /users/me", { body: password === undefined ? {} : { password } }),
		});
		if (deleted !== undefined) await signOut();
	};
	return (
		<Card
			tone="danger"
			title={t.deleteTitle}
			description={t.deleteText}
			actions={
				<Button variant="danger" onClick={ask}>
					{t.deleteAccount}
				</Button>
			}
		/>
	);
}
