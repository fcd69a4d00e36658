// Changes the password with the current one, or mails a link to set a first one.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { send } from "../api/request.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { announce } from "../ui/status-line.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { useAnnouncedAction } from "./announced-action.ts";
import { ownUser } from "./own-user.ts";
import { OwnerPassword } from "./owner-password.tsx";

export function PasswordCard({ hasPassword }: { readonly hasPassword: boolean }) {
	const t = useWords("account");
	const [isOpen, setOpen] = useState(false);
	const change = (
		<Button size="small" onClick={() => setOpen(true)}>
			{t.changePassword}
		</Button>
	);
	return (
		<>
			<Card
				title={t.password}
				description={hasPassword ? t.passwordText : t.passwordNoneText}
				actions={hasPassword ? change : <MailLink />}
			/>
			{isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
		</>
	);
}

function MailLink() {
	const t = useWords("account");
	const { email, tenant_id } = ownUser();
	const mail = useAnnouncedAction(async () => {
		await send("POST", "/api/v1/auth/password/forgot", { body: { email }, tenantId: tenant_id });
		announce(t.linkMailed(email));
	});
	return (
		<Button size="small" pending={mail.isPending} onClick={() => mail.run()}>
			{t.mailLink}
		</Button>
	);
}

/** Changes the password. */
function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("account");
	const { values, field } = useFields({ current_password: "", new_password: "" });
	const change = useAction(async () => {
		const body = { current_password: values.current_password, new_password: values.new_password };
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
			<OwnerPassword {...field("current_password")} takesFocus />
			<PasswordInput
				{...field("new_password")}
				label={t.newPassword}
				hint={useWords("ui").newPasswordRules}
				autoComplete="new-password"
			/>
		</FormDialog>
	);
}
