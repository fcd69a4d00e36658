// Sends the first signed call from the page, and shows the response or how to fix the error.

import { useState } from "preact/hooks";
import { ApiError, errorOf } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { RetryNotice } from "../ui/retry-notice.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { canSign, type SigningCredentials, signRequest } from "./sign-request.ts";

export function FirstCall({ client }: { client: ClaimedClient }) {
	const t = useWords("claim");
	const [result, setResult] = useState<FirstCallResult>();
	const attempt = useAction(async () => setResult(await callWhoami(client)));
	const isAble = canSign(client);
	return (
		<Card
			title={t.callTitle}
			description={client.secret !== undefined ? t.callText : isAble ? t.keys.callText : t.keys.callElsewhere}
		>
			{isAble && (
				<div class="lk-row">
					<Button variant="primary" pending={attempt.isPending} onClick={() => attempt.run()}>
						{result === undefined ? t.call : t.callAgain}
					</Button>
					<code class="lk-muted" dir="ltr">
						GET {WHOAMI}
					</code>
				</div>
			)}
			{attempt.error !== undefined && <Notice tone="danger">{attempt.error.message}</Notice>}
			{result !== undefined && (
				<Result
					result={result}
					hasKey={client.secret === undefined}
					isPending={attempt.isPending}
					onRetry={() => attempt.run()}
				/>
			)}
		</Card>
	);
}

interface ResultProps {
	readonly result: FirstCallResult;
	readonly hasKey: boolean;
	readonly isPending: boolean;
	readonly onRetry: () => void;
}

function Result({ result, hasKey, isPending, onRetry }: ResultProps) {
	const t = useWords("claim");
	const { response, error, stringToSign } = result;
	return (
		<>
			{error?.retryAfterSeconds !== undefined ? (
				<RetryNotice error={error} seconds={error.retryAfterSeconds} onRetry={onRetry} pending={isPending} />
			) : (
				error !== undefined && <Refusal error={error} hasKey={hasKey} />
			)}
			{response !== undefined && (
				<>
					<Notice tone="success" title={t.accepted}>
						{t.acceptedText}
					</Notice>
					<DescriptionList
						items={[
							{ term: t.callerName, value: response.client.name },
							{ term: t.callerAddress, value: <code dir="ltr">{response.ip}</code> },
							{ term: t.serverTime, value: <Time at={response.server_time} format="datetime" /> },
						]}
					/>
				</>
			)}
			<details class="claim-answer">
				<summary>{t.details}</summary>
				<div class="lk-stack">
					<CodeBlock
						label={t.signedText}
						snippets={[{ key: "text", label: t.signedText, code: stringToSign }]}
					/>
					{response !== undefined && (
						<CodeBlock
							label={t.response}
							snippets={[
								{ key: "json", label: t.response, code: JSON.stringify({ data: response }, null, 2) },
							]}
						/>
					)}
				</div>
			</details>
		</>
	);
}

/** The code and the API's text, then what to do. */
function Refusal({ error, hasKey }: { error: NonNullable<FirstCallResult["error"]>; hasKey: boolean }) {
	const t = useWords("claim");
	const advice: Readonly<Record<string, string>> = hasKey ? { ...t.advice, ...t.keys.advice } : t.advice;
	if (error.status === 0) return <Notice tone="danger">{t.callUnanswered}</Notice>;
	return (
		<Notice tone="danger" title={t.refused(error.status, error.code)}>
			<p>{error.message}</p>
			<p>{advice[error.code] ?? t.otherAdvice}</p>
		</Notice>
	);
}

const WHOAMI = "/api/v1/external/whoami";
const TIMEOUT_MS = 20_000;

interface FirstCallResult {
	readonly stringToSign: string;
	readonly response: Schemas["WhoAmI"] | undefined;
	/** Why it was refused. */
	readonly error: ApiError | undefined;
}

async function callWhoami(credentials: SigningCredentials): Promise<FirstCallResult> {
	const { stringToSign, headers } = await signRequest(credentials, {
		method: "GET",
		target: WHOAMI,
		body: "",
		timestamp: String(Math.floor(Date.now() / 1_000)),
		nonce: crypto.randomUUID(),
	});
	try {
		const response = await fetch(WHOAMI, {
			headers: { ...headers, accept: "application/json, application/problem+json;q=0.9" },
			cache: "no-store",
			redirect: "error",
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		if (!response.ok) return { stringToSign, response: undefined, error: await errorOf(response) };
		return { stringToSign, response: (await response.json()).data, error: undefined };
	} catch (error) {
		const unreachable = new ApiError(0, "network.unreachable", String(error));
		return { stringToSign, response: undefined, error: unreachable };
	}
}

/** As claimed, with the private key if this page created it. */
export type ClaimedClient = Schemas["ApiClientWithCredential"] & Pick<SigningCredentials, "privateKey">;
