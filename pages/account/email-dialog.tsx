// Changes the email address: asks for the address and the password, then for the mailed code.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { CodeInput } from "../ui/code-input.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { announce } from "../ui/status-line.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { updateUser } from "./own-user.ts";
import { OwnerPassword } from "./owner-password.tsx";

export function EmailDialog({ onClose }: { readonly onClose: () => void }) {
	const [email, setEmail] = useState("");
	const [isSent, setSent] = useState(false);
	return isSent ? (
		<CodeStep email={email} onClose={onClose} onBack={() => setSent(false)} />
	) : (
		<AddressStep email={email} onEmail={setEmail} onClose={onClose} onSent={() => setSent(true)} />
	);
}

interface AddressProps {
	readonly email: string;
	readonly onEmail: (email: string) => void;
	readonly onClose: () => void;
	readonly onSent: () => void;
}

function AddressStep({ email, onEmail, onClose, onSent }: AddressProps) {
	const t = useWords("account");
	const { values, field } = useFields({ current_password: "" });
	const request = useAction(async () => {
		const proof = values.current_password === "" ? {} : { current_password: values.current_password };
		await call("POST /users/me/email", { body: { email: email.trim(), ...proof } });
		onSent();
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.changeEmailTitle}
			submitLabel={t.sendCode}
			action={request}
			size="small"
		>
			<TextInput
				name="email"
				type="email"
				label={t.newEmail}
				value={email}
				onValue={onEmail}
				autoComplete="email"
				autoFocus
			/>
			<OwnerPassword {...field("current_password")} />
		</FormDialog>
	);
}

interface CodeProps {
	readonly email: string;
	readonly onClose: () => void;
	readonly onBack: () => void;
}

function CodeStep({ email, onClose, onBack }: CodeProps) {
	const t = useWords("account");
	const { values, field } = useFields({ code: "" });
	const confirm = useAction(async (typed: string = values.code) => {
		const body = { email: email.trim(), code: typed };
		const { data } = await call("POST /users/me/email/confirm", { body });
		updateUser(data);
		onClose();
		announce(t.emailChanged);
	});
	return (
		<FormDialog
			onClose={onClose}
			title={t.changeEmailTitle}
			submitLabel={t.changeEmail}
			cancel={{ label: t.otherAddress, run: onBack }}
			action={confirm}
			size="small"
		>
			<p>
				{t.codeSentTo} <bdi>{email}</bdi>
			</p>
			<CodeInput {...field("code")} label={t.code} hint={t.codeHint} onComplete={confirm.run} autoFocus />
		</FormDialog>
	);
}
