// Enrolls an authenticator app: shows the key as QR code and text, then asks for a code from the app.

import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { CodeInput } from "../ui/code-input.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Link } from "../ui/link.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { useWords } from "../words/words.ts";
import "./app-dialog.css";
import { useFields } from "../ui/use-fields.ts";

export interface StartedApp {
	readonly secret: string;
	readonly otpauth_uri: string;
}

interface AppDialogProps {
	readonly app: StartedApp;
	readonly onClose: () => void;
	readonly onEnrolled: (recoveryCodes: readonly string[]) => void;
}

export function AppDialog({ app: { secret, otpauth_uri }, onClose, onEnrolled }: AppDialogProps) {
	const t = useWords("account");
	const { values, field } = useFields({ code: "" });
	const confirm = useAction(async (typed: string = values.code) => {
		const { data } = await call("POST /users/me/mfa/totp/confirm", { body: { code: typed } });
		onEnrolled(data.recovery_codes);
	});
	return (
		<FormDialog onClose={onClose} title={t.setUpApp} submitLabel={t.confirm} action={confirm}>
			<p>{t.scan}</p>
			<div class="account-qr">
				<QrCode text={otpauth_uri} label={t.qrLabel} />
				<Link href={otpauth_uri}>{t.openApp}</Link>
			</div>
			<CopyField label={t.secret} value={secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} />
			<CodeInput {...field("code")} label={t.codeOfApp} onComplete={confirm.run} autoFocus />
		</FormDialog>
	);
}
