// `/oauth/device`: signs a user in on a device that shows a code (RFC 8628). Only the button grants access.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { session } from "../api/session.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { StepForm } from "../sign-in/step-form.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { loadWords, useWords } from "../words/words.ts";
import { keptPath, signInPath } from "./device-path.ts";
import type { DeviceQuestion, FoundDevice } from "./device-question.tsx";

const AT_FIELDS = { "device.not_found": "user_code" };

export function DevicePage() {
	const t = useWords("device");
	const [found, setFound] = useState<{ device: FoundDevice; Question: typeof DeviceQuestion }>();
	const [response, setResponse] = useState<"allowed" | "refused">();
	const isSignedOut = session.value.state !== "signed-in";
	useEffect(() => {
		if (isSignedOut) location.replace(signInPath());
	}, [isSignedOut]);
	if (isSignedOut)
		return (
			<PageFrame title={t.title}>
				<Skeleton lines={4} />
			</PageFrame>
		);
	if (found === undefined)
		return (
			<CodeStep
				onFound={async (device) => {
					// Not in the first view, to keep it within its budget.
					const [file] = await Promise.all([import("./device-question.tsx"), loadWords(["consent"])]);
					setFound({ device, Question: file.DeviceQuestion });
				}}
			/>
		);
	const { device, Question } = found;
	if (response !== undefined) return <Answered name={device.request.application.name} response={response} />;
	return <Question device={device} onAnswer={setResponse} onOther={() => setFound(undefined)} />;
}

function CodeStep({ onFound }: { onFound: (device: FoundDevice) => Promise<void> }) {
	const t = useWords("device");
	const [code, setCode] = useState(new URLSearchParams(location.search).get("user_code") ?? "");
	const [errors, setErrors] = useState<Record<string, string>>();
	const find = useAction(async () => {
		const { data } = await call("POST /auth/device-codes/preview", { body: { user_code: code } });
		// A sign-in or a reload returns to the code.
		history.replaceState(history.state, "", keptPath(code));
		await onFound({ code, request: data });
	});
	const send = () => {
		const isMissing = code.trim() === "";
		find.reset();
		setErrors(isMissing ? { user_code: t.lead } : undefined);
		return isMissing ? undefined : find.run();
	};
	return (
		<PageFrame title={t.title} lead={t.lead}>
			<StepForm action={find} onSubmit={send} atFields={AT_FIELDS} errors={errors} submitLabel={t.continue}>
				<TextInput name="user_code" label={t.code} hint={t.codeHint} value={code} onValue={setCode} code />
			</StepForm>
		</PageFrame>
	);
}

function Answered({ name, response }: { name: string; response: "allowed" | "refused" }) {
	const t = useWords("device");
	useEffect(() => document.querySelector("h1")?.focus(), []);
	const isAllowed = response === "allowed";
	return (
		<PageFrame title={isAllowed ? t.allowedTitle : t.refusedTitle}>
			<p>
				<bdi>{isAllowed ? t.allowedText(name) : t.refusedText(name)}</bdi>
			</p>
			{isAllowed && <p class="lk-muted">{t.endsWithSession}</p>}
		</PageFrame>
	);
}
