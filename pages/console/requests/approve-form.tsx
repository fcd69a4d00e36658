// Approves a request: application, scopes, allowlist and expiry.

import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationField } from "../client-settings/application-field.tsx";
import { type ClientSettings, settingsBody } from "../client-settings/client-settings.ts";
import { SettingsFields } from "../client-settings/settings-fields.tsx";
import { type DecisionProps, useDecision } from "./decide.ts";
import { DecisionMail } from "./decision-mail.tsx";
import { changeDraft, draftOf, setDecision } from "./drafts.ts";
import { NOTE_MAX } from "./note-limit.ts";

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
						limit={NOTE_MAX}
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
