// Enrolls a passkey: asks for a name, then opens the browser's own dialog.

import { useState } from "preact/hooks";
import { PASSKEY_NAME_MAX } from "../api/limits.ts";
import { useAction } from "../api/query.ts";
import { key } from "../ui/icons.ts";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { createPasskey } from "./passkey.ts";
import type { EnrolProps } from "./step.ts";
import { StepForm } from "./step-form.tsx";
import { visitorCall } from "./visitor-call.ts";

export function EnrolPasskey({ mfaToken, onEnrolled }: EnrolProps) {
	const { enrolment: t } = useWords("sign-in-steps");
	const [name, setName] = useState(t.passkeyNameDefault);
	const enrol = useAction(async () => {
		const { data } = await visitorCall("POST /auth/mfa/passkeys", { mfa_token: mfaToken });
		const credential = await createPasskey(data.options);
		const confirmed = await visitorCall("POST /auth/mfa/passkeys/confirm", {
			mfa_token: mfaToken,
			name,
			credential,
		});
		onEnrolled(confirmed.data);
	});
	return (
		<StepForm action={enrol} submitLabel={t.addPasskey} icon={key}>
			<TextInput
				name="name"
				label={t.passkeyName}
				hint={t.passkeyNameHint}
				value={name}
				onValue={setName}
				limit={PASSKEY_NAME_MAX}
			/>
		</StepForm>
	);
}
