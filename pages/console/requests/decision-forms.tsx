// The forms that approve and reject an access request.

import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { REVIEW_NOTE_MAX } from "../../api/limits.ts";
import { type Action, useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationField } from "../client-settings/application-field.tsx";
import { type ClientSettings, settingsBody } from "../client-settings/client-settings.ts";
import { SettingsFields } from "../client-settings/settings-fields.tsx";
import { DecisionMail } from "./decision-mail.tsx";
import { changeDraft, draftOf, forgetDraft, setDecision } from "./drafts.ts";
import type { AccessRequest, RequestProps } from "./use-requests.ts";

/** Application, scopes, allowlist and expiry of the new API client. */
export function ApproveForm(props: DecisionProps) {
	const t = useWords("console-partners").requests;
	const { request } = props;
	const { id } = request;
	const { note, settings } = draftOf(id);
	const place = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => place.current?.querySelector<HTMLElement>("input, select")?.focus(), []);
	const decision = useDecision(props, t.approved(request.applicant_name), async () => {
		const { app_id, ...body } = settingsBody(settings);
		const approval = { ...body, ...(app_id === "" ? {} : { app_id }), review_note: note };
		return (await call("POST /access-requests/{id}/approve", { path: { id }, body: approval })).data;
	});
	const change = (changes: Partial<ClientSettings>) =>
		changeDraft(id, { settings: { ...draftOf(id).settings, ...changes } });
	return (
		<div ref={place}>
			<Card title={t.approveTitle} description={t.approveText}>
				<Form action={decision}>
					<ApplicationField
						value={settings.application}
						onValue={(application) => change({ application })}
						newName={request.project_name}
					/>
					<SettingsFields settings={settings} onChange={change} />
					<TextArea
						name="review_note"
						label={t.noteToApplicant}
						optional
						limit={REVIEW_NOTE_MAX}
						rows={3}
						value={note}
						onValue={(value) => changeDraft(id, { note: value })}
					/>
					<DecisionMail request={request} decision="approve" note={note} />
					<FormActions>
						<Button type="submit" variant="primary" pending={decision.isPending}>
							{t.approveAndMail}
						</Button>
						<Button onClick={() => setDecision(id, undefined)}>{uiWords().cancel}</Button>
					</FormActions>
				</Form>
			</Card>
		</div>
	);
}

/** Rejects a request with a reason for the applicant. */
export function RejectForm(props: DecisionProps) {
	const t = useWords("console-partners").requests;
	const { request } = props;
	const { id } = request;
	const { note } = draftOf(id);
	const place = useRef<HTMLDivElement>(null);
	// Before the form is painted, so that keys go to the field and not to the shortcuts.
	useLayoutEffect(() => place.current?.querySelector("textarea")?.focus(), []);
	const decision = useDecision(props, t.rejected(request.applicant_name), async () => {
		const body = { review_note: note };
		return (await call("POST /access-requests/{id}/reject", { path: { id }, body })).data;
	});
	return (
		<div ref={place}>
			<Card title={t.rejectTitle} description={t.rejectText}>
				<Form action={decision}>
					<TextArea
						name="review_note"
						label={t.reason}
						hint={t.reasonHint}
						required
						limit={REVIEW_NOTE_MAX}
						value={note}
						onValue={(value) => changeDraft(id, { note: value })}
					/>
					<DecisionMail request={request} decision="reject" note={note} />
					<FormActions>
						<Button type="submit" variant="danger" pending={decision.isPending}>
							{t.rejectAndMail}
						</Button>
						<Button onClick={() => setDecision(id, undefined)}>{uiWords().cancel}</Button>
					</FormActions>
				</Form>
			</Card>
		</div>
	);
}

/** Code points of a review note; enforced by the API. */

/** Sends a decision. If another reviewer was faster, shows who decided. */
interface DecisionProps extends RequestProps {
	readonly onOvertaken: () => void;
}

/** Announces `done`, then opens the next request. */
function useDecision(
	{ request, requests, onOvertaken }: DecisionProps,
	done: string,
	decide: () => Promise<AccessRequest>,
): Action<[], void> {
	return useAction(async () => {
		try {
			const decided = await decide();
			forgetDraft(request.id);
			announce(done);
			requests.update(decided, "next");
		} catch (error) {
			if (!(error instanceof ApiError) || error.code !== "access_request.already_decided") throw error;
			const { data } = await call("GET /access-requests/{id}", { path: { id: request.id } });
			onOvertaken();
			requests.update(data);
		}
	});
}
