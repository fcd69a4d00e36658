// Asks the user for consent to an application on a device, and warns about other people's devices.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { PageFrame } from "../sign-in/frame.tsx";
import { loadLaterSteps } from "../sign-in/load-later-steps.ts";
import { RequestedAccess } from "../sign-in/requested-access.tsx";
import { useShownError } from "../sign-in/shown-error.ts";
import { SignedInOrOther } from "../sign-in/signed-in-as.tsx";
import { Button } from "../ui/button.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { shownCode, signInPath } from "./device-path.ts";
import "./device-question.css";

export interface FoundDevice {
	/** As it was typed. */
	readonly code: string;
	readonly request: Schemas["DeviceRequest"];
}

interface DeviceQuestionProps {
	readonly device: FoundDevice;
	readonly onAnswer: (response: "allowed" | "refused") => void;
	/** Called when the code is no longer valid. */
	readonly onOther: () => void;
}

export function DeviceQuestion({ device: { code, request }, onAnswer, onOther }: DeviceQuestionProps) {
	const t = useWords("device");
	const allowing = useWords("consent");
	const { application } = request;
	const body = { user_code: code };
	const [later, setLater] = useState<Awaited<ReturnType<typeof loadLaterSteps>>>();
	const allow = useAction(async () => {
		await call("POST /auth/device-codes/approve", { body });
		onAnswer("allowed");
	});
	const refuse = useAction(async () => {
		await call("POST /auth/device-codes/deny", { body });
		onAnswer("refused");
	});
	const failure = allow.error ?? refuse.error;
	const error = useShownError(failure);
	const isRefusedEntry = allow.error?.status === 403;
	useEffect(() => document.querySelector("h1")?.focus(), []);
	useEffect(() => {
		if (isRefusedEntry) loadLaterSteps().then(setLater, reportError);
	}, [isRefusedEntry]);
	const frame = { title: t.questionTitle, lead: <bdi>{t.asks(application.name)}</bdi> };
	if (isRefusedEntry && later !== undefined && error !== undefined) {
		const entry = { frame, error, application, interaction: undefined, onRetry: allow.run };
		return <later.RefusedEntry {...entry} />;
	}
	return (
		<PageFrame {...frame} below={<SignedInOrOther signInPath={signInPath()} label={allowing.otherAccount} />}>
			<p class="device-code" dir="ltr">
				{shownCode(code)}
			</p>
			<Notice tone="warning" title={t.checkTitle}>
				{t.check}
			</Notice>
			<DescriptionList
				items={[
					{ term: t.requestedAt, value: <Time at={request.requested_at} format="datetime" /> },
					{ term: t.requestedFrom, value: request.requested_from },
				]}
			/>
			<RequestedAccess requested={request} />
			{error !== undefined && !isRefusedEntry && <Notice tone="danger">{error.message}</Notice>}
			{failure?.status === 404 ? (
				<Button wide onClick={onOther}>
					{t.otherCode}
				</Button>
			) : (
				<>
					<Button variant="primary" wide pending={allow.isPending} onClick={() => allow.run()}>
						{allowing.allow}
					</Button>
					<Button wide pending={refuse.isPending} onClick={() => refuse.run()}>
						{t.refuse}
					</Button>
				</>
			)}
		</PageFrame>
	);
}
