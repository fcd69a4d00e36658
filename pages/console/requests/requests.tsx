// `/console/requests`: the queue of requests, the open one, and the keys that move and decide.

import { call } from "../../api/client.ts";
import { session } from "../../api/session.ts";
import { namedSlug, useTenant } from "../../api/tenant.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { inbox } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ExportFile } from "../export/export-file.tsx";
import { mayDecide } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { useScreenTitle } from "../screen-title.ts";
import { showShortcuts } from "../shortcuts/console-shortcuts.tsx";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import { setDecision } from "./drafts.ts";
import { RequestList } from "./request-list.tsx";
import { type QueuedRequest, titleOf } from "./request-texts.tsx";
import "./requests.css";
import { useState } from "preact/hooks";
import { ApiError } from "../../api/error.ts";
import { REVIEW_NOTE_MAX } from "../../api/limits.ts";
import { TextArea } from "../../ui/text-area.tsx";
import type { BulkAction } from "../bulk/bulk-bar.tsx";
import type { FieldsProps } from "../bulk/task.ts";
import { PartnerDetail } from "./partner-detail.tsx";
import { PersonDetail } from "./person-detail.tsx";
import { ProgramDetail } from "./program-detail.tsx";
import {
	loadRequest,
	REQUESTS_PATH,
	type RequestProps,
	type RequestsOnScreen,
	useRequests,
} from "./use-requests.ts";

export function Requests({ params: { id } }: ScreenProps) {
	const t = useWords("console-partners").requests;
	const { shortcuts } = useWords("console");
	const requests = useRequests(id);
	useQueueKeys(requests);
	const { open, rows, state } = requests;
	const name = open === undefined ? t.request : titleOf(open);
	useScreenTitle(
		t.title,
		id === undefined ? undefined : [{ label: t.title, href: REQUESTS_PATH }, { label: name }],
	);
	const isQueue = state.values.status === "pending";
	return (
		<>
			<PageHeader
				title={t.title}
				description={mayDecide() ? (isQueue ? t.description : undefined) : t.descriptionReader}
				actions={
					<span class="lk-row">
						<ExportFile list="requests" route="GET /requests" state={state} />
						<FormLink />
						<span class="lk-requests__keys">
							<Button variant="quiet" onClick={showShortcuts}>
								{shortcuts.title}
							</Button>
						</span>
					</span>
				}
			/>
			<div class={id === undefined ? "lk-requests" : "lk-requests lk-requests--open"}>
				<RequestList
					requests={requests}
					openId={id}
					bulkActions={mayDecide() ? [bulkReject(t, requests.update)] : undefined}
				/>
				<div class="lk-requests__open">
					{open !== undefined ? (
						<RequestDetail key={open.id} request={open} requests={requests} />
					) : id === undefined ? (
						rows?.length !== 0 && <EmptyState icon={inbox} title={t.choose} />
					) : requests.loading.error !== undefined ? (
						<LoadError error={requests.loading.error} onRetry={requests.loading.reload} />
					) : (
						<Skeleton lines={8} />
					)}
				</div>
			</div>
		</>
	);
}

function useQueueKeys({ open, move }: RequestsOnScreen): void {
	const { keys } = useWords("console-partners").requests;
	const decide = (decision: "approve" | "reject") => {
		if (open?.status === "pending" && mayDecide()) setDecision(open.id, decision);
	};
	useShortcuts([
		{ key: "j", does: keys.next, run: () => move(1) },
		{ key: "k", does: keys.previous, run: () => move(-1) },
		{ key: "a", does: keys.approve, run: () => decide("approve"), isUsable: mayDecide },
		{ key: "r", does: keys.reject, run: () => decide("reject"), isUsable: mayDecide },
	]);
}

/** To the request form for partners of this tenant. Has its place before the tenant is known, so that nothing moves. */
function FormLink() {
	const t = useWords("console-partners").requests;
	const { data } = useTenant(session.value.user?.tenant_id);
	const slug = data === undefined ? undefined : namedSlug(data);
	return (
		<span class={data === undefined ? "lk-requests__unknown" : undefined}>
			<Link href={slug === undefined ? "/portal" : `/portal?tenant=${slug}`} variant="quiet" external>
				{t.openForm}
			</Link>
		</span>
	);
}

function RequestDetail({ request, requests }: RequestProps) {
	// Decided by another reviewer while the form was open.
	const [isOvertaken, setOvertaken] = useState(false);
	const state = { requests, isOvertaken, onOvertaken: () => setOvertaken(true) };
	if (request.kind === "partner") return <PartnerDetail {...state} request={request} />;
	if (request.kind === "person") return <PersonDetail {...state} request={request} />;
	return <ProgramDetail {...state} request={request} />;
}

type Decided = RequestsOnScreen["update"];

/**
 * Rejects the selected requests with one reason.
 *
 * @param onDecided called for each request that is no longer waiting
 */
function bulkReject(
	t: WordsOf<"console-partners">["requests"],
	onDecided: Decided,
): BulkAction<QueuedRequest> {
	return {
		key: "reject",
		label: t.reject,
		title: t.bulkRejectTitle,
		text: t.bulkRejectText,
		submitLabel: t.rejectAndMail,
		tone: "danger",
		appliesTo: ({ status }) => status === "pending",
		missing: { review_note: t.reasonMissing },
		Fields: ({ onSteps }: FieldsProps<QueuedRequest>) => (
			<ReasonField
				onReason={(note) =>
					onSteps(note === "" ? undefined : { run: ({ id }) => reject(id, note, onDecided) })
				}
			/>
		),
	};
}

function ReasonField({ onReason }: { readonly onReason: (note: string) => void }) {
	const t = useWords("console-partners").requests;
	const [note, setNote] = useState("");
	return (
		<TextArea
			name="review_note"
			label={t.reason}
			hint={t.reasonHint}
			required
			limit={REVIEW_NOTE_MAX}
			rows={3}
			value={note}
			onValue={(value) => {
				setNote(value);
				onReason(value.trim());
			}}
			autoFocus
		/>
	);
}

/** @throws ApiError `request.already_decided`, unless it was rejected for this reason: the response was lost. */
async function reject(id: string, note: string, onDecided: Decided): Promise<void> {
	try {
		const { data } = await call("POST /requests/{id}/reject", {
			path: { id },
			body: { review_note: note },
		});
		onDecided(data);
	} catch (error) {
		if (!(error instanceof ApiError) || error.code !== "request.already_decided") throw error;
		const current = await loadRequest(id);
		onDecided(current);
		if (current.status !== "rejected" || current.review_note !== note) throw error;
	}
}
