// Confirms the submission: what was sent and what happens next.

import { useEffect, useRef } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import type { AccessRequest } from "./request-form.tsx";

interface RequestReceivedProps {
	readonly request: AccessRequest;
	readonly onAnother: () => void;
}

export function RequestReceived({ request, onAnother }: RequestReceivedProps) {
	const t = useWords("portal");
	const place = useRef<HTMLDivElement>(null);
	// The focused button was removed.
	useEffect(() => place.current?.focus(), []);
	return (
		<div ref={place} tabIndex={-1} class="lk-stack">
			<Notice tone="success" title={t.mailedTitle}>
				{t.mailedTo} <bdi class="request-address">{request.email}</bdi>. {t.mailedText}
			</Notice>
			<Card title={t.sentTitle}>
				<DescriptionList
					items={[
						{ term: t.labels.project_name, value: request.project_name },
						{ term: t.labels.applicant_name, value: request.applicant_name },
						{ term: t.labels.company, value: request.company },
						{ term: t.labels.purpose, value: <bdi class="request-purpose">{request.purpose}</bdi> },
						{ term: t.sentAt, value: <Time at={request.created_at} format="datetime" /> },
					]}
				/>
				<CopyField label={t.requestId} value={request.id} />
			</Card>
			<div class="lk-row">
				<Link variant="primary" href="/docs/signing">
					{t.readGuide}
				</Link>
				<Button onClick={onAnother}>{t.another}</Button>
			</div>
		</div>
	);
}
