// `/withdraw`: withdraws a pending access request with the link from a receipt mail. Only the button withdraws it.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { ApiError } from "../api/error.ts";
import { useAction, useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { LinkPage } from "../portal/link-page.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { Link } from "../ui/link.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { RetryNotice } from "../ui/retry-notice.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";

export function WithdrawPage({ token }: { token: string }) {
	const t = useWords("withdraw");
	const [isDone, setDone] = useState(false);
	const withdraw = useAction(async () => {
		await call("POST /access-requests/withdraw", { body: { token } });
		setDone(true);
	});
	const done = isDone && (
		<>
			<p>{t.doneText}</p>
			<Link variant="secondary" wide href="/portal">
				{t.newRequest}
			</Link>
		</>
	);
	return (
		<LinkPage token={token} words={t} done={done || undefined}>
			<Question
				token={token}
				error={withdraw.error}
				isPending={withdraw.isPending}
				onWithdraw={() => withdraw.run()}
			/>
		</LinkPage>
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
	return (
		<Loaded query={shown} lines={4}>
			{({ data: request }) => (
				<>
					<p>{t.intro}</p>
					<RequestSummary request={request} />
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
			)}
		</Loaded>
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
