// `/withdraw`: withdraws a pending access request with the link from a receipt mail. Only the button withdraws it.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { ApiError } from "../api/error.ts";
import { useAction, useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Badge } from "../ui/badge.tsx";
import { brand } from "../ui/branding.ts";
import { Button } from "../ui/button.tsx";
import { CenteredShell } from "../ui/centered-shell.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { RetryNotice } from "../ui/retry-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { languageSwitch } from "../words/language-options.ts";
import { useWords } from "../words/words.ts";

export function WithdrawPage({ token }: { token: string }) {
	const t = useWords("withdraw");
	const [isDone, setDone] = useState(false);
	const withdraw = useAction(async () => {
		await call("POST /access-requests/withdraw", { body: { token } });
		setDone(true);
	});
	const title = isDone ? t.doneTitle : t.title;
	const { product_name } = brand.value;
	useEffect(() => {
		document.title = `${title} · ${product_name}`;
	}, [title, product_name]);
	useEffect(() => {
		if (isDone) document.querySelector("h1")?.focus();
	}, [isDone]);
	return (
		<CenteredShell title={title} homeHref="/" languages={languageSwitch()}>
			{isDone ? (
				<>
					<p>{t.doneText}</p>
					<Link variant="secondary" wide href="/portal">
						{t.newRequest}
					</Link>
				</>
			) : token === "" ? (
				<Notice tone="danger">{t.noToken}</Notice>
			) : (
				<Question
					token={token}
					error={withdraw.error}
					isPending={withdraw.isPending}
					onWithdraw={() => withdraw.run()}
				/>
			)}
		</CenteredShell>
	);
}

interface QuestionProps {
	readonly token: string;
	readonly error: ApiError | undefined;
	readonly isPending: boolean;
	readonly onWithdraw: () => void;
}

function Question({ token, error, isPending, onWithdraw }: QuestionProps) {
	const t = useWords("withdraw");
	const shown = useQuery("withdraw", (signal) =>
		call("POST /access-requests/withdraw/preview", { body: { token }, signal }),
	);
	const isGone = (failed: ApiError | undefined) =>
		failed?.code === "withdrawal.not_found" || failed?.status === 400;
	if (isGone(error) || isGone(shown.error)) return <Notice tone="danger">{t.gone}</Notice>;
	if (shown.data === undefined)
		return shown.error === undefined ? (
			<Skeleton lines={4} />
		) : (
			<LoadError error={shown.error} onRetry={shown.reload} pending={shown.isLoading} />
		);
	return (
		<>
			<p>{t.intro}</p>
			<RequestSummary request={shown.data.data} />
			<p class="lk-muted">{t.safe}</p>
			{error?.retryAfterSeconds !== undefined ? (
				<RetryNotice
					error={error}
					seconds={error.retryAfterSeconds}
					onRetry={onWithdraw}
					pending={isPending}
				/>
			) : (
				error !== undefined && (
					<Notice tone="danger">{error.status === 0 ? t.noAnswer : <ErrorText error={error} />}</Notice>
				)
			)}
			<Button variant="danger" wide pending={isPending} onClick={onWithdraw}>
				{t.withdraw}
			</Button>
		</>
	);
}

function RequestSummary({ request }: { request: Schemas["WithdrawableRequest"] }) {
	const t = useWords("withdraw");
	return (
		<DescriptionList
			items={[
				{ term: t.project, value: request.project_name },
				{ term: t.applicant, value: request.applicant_name },
				...(request.company === "" ? [] : [{ term: t.company, value: request.company }]),
				{ term: t.status, value: <Badge tone="warning">{t.waiting}</Badge> },
				{ term: t.sentAt, value: <Time at={request.created_at} format="datetime" /> },
			]}
		/>
	);
}
