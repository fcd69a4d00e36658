// `/oauth/device`: signs a user in on a device that shows a code (RFC 8628). Only the button grants access.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { session } from "../api/session.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { useShownError } from "../sign-in/shown-error.ts";
import { useFirstFocus } from "../sign-in/use-first-focus.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { keptPath, signInPath } from "./device-path.ts";
import { DeviceQuestion, type FoundDevice } from "./device-question.tsx";

const AT_FIELDS = { "device.not_found": "user_code" };

export function DevicePage() {
	const t = useWords("device");
	const [device, setDevice] = useState<FoundDevice>();
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
	if (device === undefined) return <CodeStep onFound={setDevice} />;
	if (response !== undefined) return <Answered name={device.request.application.name} response={response} />;
	return <DeviceQuestion device={device} onAnswer={setResponse} onOther={() => setDevice(undefined)} />;
}

function CodeStep({ onFound }: { onFound: (device: FoundDevice) => void }) {
	const t = useWords("device");
	const [code, setCode] = useState(new URLSearchParams(location.search).get("user_code") ?? "");
	const [errors, setErrors] = useState<Record<string, string>>();
	const step = useFirstFocus();
	const find = useAction(async () => {
		const { data } = await call("POST /auth/device-codes/preview", { body: { user_code: code } });
		// A sign-in or a reload returns to the code.
		history.replaceState(history.state, "", keptPath(code));
		onFound({ code, request: data });
	});
	const error = useShownError(find.error, AT_FIELDS);
	const send = () => {
		const isMissing = code.trim() === "";
		find.reset();
		setErrors(isMissing ? { user_code: t.codeMissing } : undefined);
		return isMissing ? undefined : find.run();
	};
	return (
		<PageFrame title={t.title} lead={t.lead}>
			<div ref={step}>
				<Form onSubmit={send} error={error} errors={errors} pending={find.isPending}>
					<TextInput name="user_code" label={t.code} hint={t.codeHint} value={code} onValue={setCode} code />
					<Button type="submit" variant="primary" wide pending={find.isPending}>
						{t.continue}
					</Button>
				</Form>
			</div>
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
