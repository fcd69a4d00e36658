// `/invite#token`: accepts an invitation and signs in. Opening the page does not consume the token.

import { useState } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import { session, startSession } from "../api/session.ts";
import { takeLinkToken } from "../link-token.ts";
import { firstPage } from "../sign-in/destination.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { NewPassword } from "../sign-in/new-password.tsx";
import { NEW_PASSWORD_CODES } from "../sign-in/shown-error.ts";
import { SignInSteps } from "../sign-in/sign-in-steps.tsx";
import { StepForm } from "../sign-in/step-form.tsx";
import { type SecondFactorDue, type Tokens, visitorCall } from "../sign-in/visitor-call.ts";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { LinkRefusal } from "./link-refusal.tsx";

const AT_FIELDS = Object.fromEntries(NEW_PASSWORD_CODES.map((code) => [code, "password"]));
const token = takeLinkToken();

export function InvitePage() {
	const { invite: t } = useWords("mailed-links");
	const [due, setDue] = useState<SecondFactorDue>();
	const [isGone, setGone] = useState(false);
	if (due !== undefined)
		return <SignInSteps Frame={PageFrame} begin={() => Promise.resolve(due)} onTokens={enter} />;
	if (token === "" || isGone)
		return (
			<PageFrame title={t.title}>
				<LinkRefusal text={token === "" ? undefined : t.gone} />
			</PageFrame>
		);
	return (
		<PageFrame title={t.title} lead={t.text}>
			<Acceptance onDue={setDue} onGone={() => setGone(true)} />
		</PageFrame>
	);
}

function enter(tokens: Tokens): void {
	startSession(tokens);
	location.replace(firstPage(session.value.roles));
}

interface AcceptanceProps {
	readonly onDue: (due: SecondFactorDue) => void;
	readonly onGone: () => void;
}

function Acceptance({ onDue, onGone }: AcceptanceProps) {
	const { invite: t } = useWords("mailed-links");
	const { values, field } = useFields({ password: "", display_name: "" });
	const accept = useAction(async () => {
		const named = values.display_name.trim() === "" ? {} : { display_name: values.display_name };
		const sent = visitorCall("POST /auth/invite/accept", { token, password: values.password, ...named });
		const { data } = await sent.catch((error: unknown) => {
			if (error instanceof ApiError && error.status === 404) onGone();
			throw error;
		});
		if ("mfa_required" in data) onDue(data);
		else enter(data);
	});
	return (
		<StepForm
			action={accept}
			atFields={AT_FIELDS}
			submitLabel={t.title}
			below={<p class="lk-muted">{t.safe}</p>}
		>
			<NewPassword {...field("password")} label={t.password} />
			<TextInput {...field("display_name")} label={t.displayName} autoComplete="name" optional />
		</StepForm>
	);
}
