// The form that approves a request for a program, at the lower edge of the open one.

import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";
import { endOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { audienceLines, audiencesIn } from "../openid/assertion-audiences.ts";
import { DecisionMail } from "./decision-mail.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf } from "./drafts.ts";
import { NoteField } from "./reject-form.tsx";
import { type ListedProgramRequest, titleOf } from "./request-texts.tsx";
import { type DecisionProps, useDecision } from "./use-decision.ts";

interface ApproveProgramProps extends DecisionProps<ListedProgramRequest> {
	/** The requested APIs; of a change, those that the program may use. Only these can be allowed here. */
	readonly resources: readonly string[];
	/** Authorization servers to which the program may carry people already; undefined if it has no key for that. */
	readonly audiences: Schemas["ProgramRequest"]["assertion_audiences"] | undefined;
	/** Of the document that is shown: no other is approved. */
	readonly digest: string | null;
	readonly recipients: number;
}

export function ApproveProgramForm({
	resources,
	audiences,
	digest,
	recipients,
	...props
}: ApproveProgramProps) {
	const t = useWords("console-partners").programRequests;
	const { request } = props;
	const { id, is_change: isChange } = request;
	const { note, program } = draftOf(id);
	const isNew = !isChange;
	// An approval of a change keeps what is not typed here.
	const typed = isNew || program.audiences !== "" ? program.audiences : undefined;
	const decision = useDecision(props, t.approved(titleOf(request)), async () => {
		const body = {
			allowed_resources: resources.filter((resource) => !program.refused.includes(resource)),
			review_note: note,
			...(digest !== null && { document_digest: digest }),
			...(audiences !== undefined && typed !== undefined && { assertion_audiences: audiencesIn(typed) }),
			...(isNew && {
				access_policy: program.isForEveryone ? ("open" as const) : ("assigned" as const),
				expires_at: endOf(program.lastDay),
			}),
		};
		return (await call("POST /requests/{id}/approve", { path: { id }, body })).data;
	});
	const change = (changes: Partial<typeof program>) =>
		changeDraft(id, { program: { ...draftOf(id).program, ...changes } });
	return (
		<DecisionPanel
			id={id}
			title={t.approveTitle}
			text={isNew ? t.approveText : t.approveChangeText}
			action={decision}
			submitLabel={t.approve}
		>
			{resources.map((resource, index) => (
				<Checkbox
					key={resource}
					name={`allowed_resources.${index}`}
					label={t.allow(resource)}
					value={!program.refused.includes(resource)}
					onValue={(isAllowed) =>
						change({
							refused: isAllowed
								? program.refused.filter((one) => one !== resource)
								: [...program.refused, resource],
						})
					}
				/>
			))}
			{resources.length === 0 && <p class="lk-muted">{t.noApis}</p>}
			{audiences !== undefined && (
				<TextArea
					name="assertion_audiences"
					label={t.carries}
					hint={audiences.length === 0 ? t.carriesHint : t.carriesNow(audienceLines(audiences).join(", "))}
					value={program.audiences}
					onValue={(audiences) => change({ audiences })}
					rows={2}
					code
				/>
			)}
			{isNew && (
				<>
					<Checkbox
						name="access_policy"
						label={t.forEveryone}
						hint={t.forEveryoneHint}
						value={program.isForEveryone}
						onValue={(isForEveryone) => change({ isForEveryone })}
					/>
					<ExpiryField value={program.lastDay} onValue={(lastDay) => change({ lastDay })} />
				</>
			)}
			<NoteField id={id} label={t.note} />
			{recipients > 0 && <DecisionMail request={request} decision="approve" recipients={recipients} />}
		</DecisionPanel>
	);
}
