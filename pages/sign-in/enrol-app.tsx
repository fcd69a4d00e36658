// Enrolls an authenticator app: shows the key as QR code and text, then asks for a code from the app.

import { useState } from "preact/hooks";
import { useAction, useQuery } from "../api/query.ts";
import { CodeInput } from "../ui/code-input.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { AppKey, type StartedApp } from "./app-key.tsx";
import { HiddenUsername } from "./hidden-username.tsx";
import { useShownError } from "./shown-error.ts";
import type { EnrolProps } from "./step.ts";
import { StepForm } from "./step-form.tsx";
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
	readonly app: StartedApp;
	readonly username: string;
	readonly onCode: (code: string) => Promise<void>;
}

function AppForm({ app, username, onCode }: AppFormProps) {
	const { enrolment: t } = useWords("sign-in-steps");
	const [code, setCode] = useState("");
	const confirm = useAction((typed: string = code) => onCode(typed));
	return (
		<StepForm
			action={confirm}
			onSubmit={() => (code === "" ? undefined : confirm.run())}
			atFields={AT_FIELDS}
			submitLabel={t.confirm}
			focus="[name=code]"
		>
			<AppKey words={t} app={app} />
			<HiddenUsername username={username} />
			<CodeInput name="code" label={t.code} value={code} onValue={setCode} onComplete={confirm.run} />
		</StepForm>
	);
}
