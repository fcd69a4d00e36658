// `/portal`: the access request form; `/portal?tenant=<slug>` sends the request to that tenant.

import { useEffect, useRef, useState } from "preact/hooks";
import { useQuery } from "../api/query.ts";
import { openTenant } from "../api/tenant.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { search } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { NextSteps } from "./next-steps.tsx";
import { PartnerFrame } from "./partner-frame.tsx";
import "./portal-page.css";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { type AccessRequest, NO_VALUES, RequestForm, type RequestValues } from "./request-form.tsx";

/** Slug of the receiving tenant; undefined: the default tenant. */
const slug = new URLSearchParams(location.search).get("tenant") ?? undefined;

export function PortalPage() {
	const t = useWords("portal");
	const opened = useQuery(slug, () => openTenant(slug));
	if (slug === undefined) return <Portal />;
	if (opened.data !== undefined) return <Portal tenantName={opened.data.tenant.name} />;
	return (
		<PartnerFrame title={t.title}>
			{opened.error === undefined ? (
				<Skeleton lines={8} />
			) : opened.error.code === "tenant.not_found" || opened.error.status === 400 ? (
				<EmptyState icon={search} title={t.noTenant}>
					{t.noTenantText(slug)}
				</EmptyState>
			) : (
				<LoadError error={opened.error} onRetry={opened.reload} pending={opened.isLoading} />
			)}
		</PartnerFrame>
	);
}

function Portal({ tenantName }: { readonly tenantName?: string }) {
	const t = useWords("portal");
	const [sent, setSent] = useState<AccessRequest>();
	const [initial, setInitial] = useState<RequestValues>(NO_VALUES);
	const title = sent === undefined ? t.title : t.receivedTitle;
	/** Keep the applicant, clear the project. */
	const startAnother = () => {
		const { applicant_name, email, company } = sent ?? NO_VALUES;
		setInitial({ ...NO_VALUES, applicant_name, email, company });
		setSent(undefined);
	};
	return (
		<PartnerFrame title={title} aside={<NextSteps current={sent === undefined ? 0 : 1} />}>
			<PageHeader
				title={title}
				meta={tenantName !== undefined && <bdi class="lk-muted">{tenantName}</bdi>}
				description={sent === undefined ? t.intro : t.receivedIntro}
			/>
			{sent === undefined ? (
				<RequestForm initial={initial} onSent={setSent} />
			) : (
				<RequestReceived request={sent} onAnother={startAnother} />
			)}
		</PartnerFrame>
	);
}

interface RequestReceivedProps {
	readonly request: AccessRequest;
	readonly onAnother: () => void;
}

/** Confirms the submission: what was sent and what happens next. */
function RequestReceived({ request, onAnother }: RequestReceivedProps) {
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
