// The second step: a passkey, a code of the authenticator app, or a recovery code.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { brand } from "../ui/branding.ts";
import { Button } from "../ui/button.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { Email } from "../ui/email.tsx";
import { Form } from "../ui/form.tsx";
import { key } from "../ui/icons.ts";
import { Notice } from "../ui/notice.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { HiddenUsername } from "./hidden-username.tsx";
import { askPasskey, hasPasskeys } from "./passkey.ts";
import { useShownError } from "./shown-error.ts";
import type { DueStepProps } from "./step.ts";
import "./second-factor-step.css";
import { StepForm } from "./step-form.tsx";
import { type FactorMethod, visitorCall } from "./visitor-call.ts";

/** Fastest first. */
const ORDER: readonly FactorMethod[] = ["passkey", "totp", "recovery_code"];
const AT_FIELDS = { "mfa.invalid": "code" };

export function SecondFactorStep(step: DueStepProps) {
	const t = useWords("sign-in-steps");
	const { Frame, due, onRestart } = step;
	const methods = ORDER.filter(
		(method) => due.methods.includes(method) && (method !== "passkey" || hasPasskeys()),
	);
	const [method, setMethod] = useState(methods[0]);
	const { support_email: support = "" } = brand.value;
	return (
		<Frame title={t.secondFactorTitle} lead={method === undefined ? t.noFactorHere : t.factorText[method]}>
			{method !== undefined && <FactorForm key={method} {...step} method={method} />}
			<div>
				{methods
					.filter((other) => other !== method)
					.map((other) => (
						<Button key={other} variant="quiet" wide onClick={() => setMethod(other)}>
							{t.useInstead[other]}
						</Button>
					))}
				<Button variant="quiet" wide onClick={onRestart}>
					{t.restart}
				</Button>
			</div>
			<details class="factor-help">
				<summary>{t.noneWorks}</summary>
				<p class="lk-muted">{t.noneWorksText}</p>
				{support !== "" && (
					<p class="lk-muted">
						{t.contact}{" "}
						<a class="lk-link" href={`mailto:${support}`}>
							<Email address={support} />
						</a>
					</p>
				)}
				{due.help_offered && <AskHelp mfaToken={due.mfa_token} />}
			</details>
		</Frame>
	);
}

function AskHelp({ mfaToken }: { readonly mfaToken: string }) {
	const t = useWords("sign-in-steps");
	const [isSent, setSent] = useState(false);
	const ask = useAction(async () => {
		await visitorCall("POST /auth/mfa/help", { mfa_token: mfaToken });
		setSent(true);
	});
	if (isSent) return <Notice tone="success">{t.helpAsked}</Notice>;
	return (
		<Form onSubmit={() => ask.run()} error={useShownError(ask.error)} pending={ask.isPending}>
			<p class="lk-muted">{t.askHelpText}</p>
			<Button type="submit" wide pending={ask.isPending}>
				{t.askHelp}
			</Button>
		</Form>
	);
}

interface FactorFormProps extends DueStepProps {
	readonly method: FactorMethod;
}

function FactorForm({ due, method, username, onOutcome }: FactorFormProps) {
	const t = useWords("sign-in-steps");
	const [code, setCode] = useState("");
	const { mfa_token } = due;
	const response = useAction(async (typed: string = code) => {
		const proof =
			method === "passkey" ? { assertion: await passkeyAssertion(mfa_token) } : { code: typed.trim() };
		const { data } = await visitorCall("POST /auth/mfa", { mfa_token, method, ...proof });
		await onOutcome(data);
	});
	const send = (typed: string) =>
		method === "passkey" || typed.trim() !== "" ? response.run(typed) : undefined;
	const field = { name: "code", value: code, onValue: setCode };
	return (
		<StepForm
			action={response}
			onSubmit={() => send(code)}
			{...(method === "passkey"
				? { submitLabel: t.usePasskey, icon: key }
				: { submitLabel: t.continue, atFields: AT_FIELDS })}
		>
			<HiddenUsername username={username} />
			{method === "totp" && <CodeInput {...field} label={t.code} onComplete={send} />}
			{method === "recovery_code" && <TextInput {...field} label={t.recoveryCode} code />}
		</StepForm>
	);
}

async function passkeyAssertion(mfaToken: string): Promise<Record<string, unknown>> {
	const { data } = await visitorCall("POST /auth/mfa/passkey-options", { mfa_token: mfaToken });
	return await askPasskey(data.options);
}
