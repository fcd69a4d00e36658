// Enrolls an authenticator app: shows the key as QR code and text, then asks for a code from the app.

import { useState } from "preact/hooks";
import { useAction, useQuery } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Form } from "../ui/form.tsx";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import "./enrolment.css";
import { HiddenUsername } from "./hidden-username.tsx";
import { useShownError } from "./shown-error.ts";
import type { EnrolProps } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

const AT_FIELDS = { "mfa.code_wrong": "code", "mfa.invalid": "code" };

export function EnrolApp({ username, mfaToken, onEnrolled }: EnrolProps) {
	const started = useQuery(`enrolment ${mfaToken}`, () =>
		visitorCall("POST /auth/mfa/totp", { mfa_token: mfaToken }),
	);
	const error = useShownError(started.error);
	const confirm = async (code: string) => {
		const { data } = await visitorCall("POST /auth/mfa/totp/confirm", { mfa_token: mfaToken, code });
		onEnrolled(data);
	};
	if (error !== undefined && started.data === undefined)
		return <LoadError error={error} onRetry={started.reload} pending={started.isLoading} />;
	if (started.data === undefined) return <Skeleton height="20rem" />;
	return <AppForm app={started.data.data} username={username} onCode={confirm} />;
}

interface AppFormProps {
	readonly app: { readonly secret: string; readonly otpauth_uri: string };
	readonly username: string;
	readonly onCode: (code: string) => Promise<void>;
}

function AppForm({ app: { secret, otpauth_uri }, username, onCode }: AppFormProps) {
	const { enrolment: t } = useWords("sign-in-steps");
	const [code, setCode] = useState("");
	const confirm = useAction(onCode);
	const error = useShownError(confirm.error, AT_FIELDS);
	const step = useFirstFocus("[name=code]");
	return (
		<div ref={step}>
			<Form
				onSubmit={() => (code === "" ? undefined : confirm.run(code))}
				error={error}
				pending={confirm.isPending}
			>
				<div class="enrolment-qr">
					<QrCode text={otpauth_uri} label={t.qrLabel} />
					<Link href={otpauth_uri}>{t.openApp}</Link>
				</div>
				<CopyField label={t.secret} value={secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} />
				<HiddenUsername username={username} />
				<CodeInput name="code" label={t.code} value={code} onValue={setCode} onComplete={confirm.run} />
				<Button type="submit" variant="primary" wide pending={confirm.isPending}>
					{t.confirm}
				</Button>
			</Form>
		</div>
	);
}
