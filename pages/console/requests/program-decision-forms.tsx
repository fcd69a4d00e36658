// The forms that approve and reject a request for a program, at the lower edge of the open one.

import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { REVIEW_NOTE_MAX } from "../../api/limits.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";
import { endOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { DecisionPanel } from "./decision-panel.tsx";
import { changeDraft, draftOf } from "./drafts.ts";
import { type DecisionProps, useDecision } from "./use-decision.ts";
import type { ListedProgramRequest } from "./use-requests.ts";

type FormProps = DecisionProps<ListedProgramRequest>;

/**
 * @param resources the requested APIs; of a change, those that the program may use. Only these can be allowed here.
 * @param digest of the document that is shown: no other is approved.
 */
export function ApproveProgramForm({
	resources,
	digest,
	...props
}: FormProps & { readonly resources: readonly string[]; readonly digest: string | null }) {
	const t = useWords("console-partners").programRequests;
	const { id, kind, host, name } = props.request;
	const { note, program } = draftOf(id);
	const isNew = kind === "new";
	const decision = useDecision(props, t.approved(name ?? host), async () => {
		const body = {
			allowed_resources: resources.filter((resource) => !program.refused.includes(resource)),
			review_note: note,
			...(digest !== null && { document_digest: digest }),
			...(isNew && {
				access_policy: program.isForEveryone ? ("open" as const) : ("assigned" as const),
				expires_at: endOf(program.lastDay),
			}),
		};
		return (await call("POST /program-requests/{id}/approve", { path: { id }, body })).data;
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
					checked={!program.refused.includes(resource)}
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
			{isNew && (
				<>
					<Checkbox
						name="access_policy"
						label={t.forEveryone}
						hint={t.forEveryoneHint}
						checked={program.isForEveryone}
						onValue={(isForEveryone) => change({ isForEveryone })}
					/>
					<ExpiryField value={program.lastDay} onValue={(lastDay) => change({ lastDay })} />
				</>
			)}
			<Note id={id} label={t.note} isRequired={false} />
		</DecisionPanel>
	);
}

/** Rejects a request with a reason for the people who asked. */
export function RejectProgramForm(props: FormProps) {
	const t = useWords("console-partners").programRequests;
	const { id, kind, host, name } = props.request;
	const place = useRef<HTMLDivElement>(null);
	// Before the form is painted, so that keys go to the field and not to the shortcuts.
	useLayoutEffect(() => place.current?.querySelector("textarea")?.focus(), []);
	const decision = useDecision(props, t.rejected(name ?? host), async () => {
		const body = { review_note: draftOf(id).note };
		return (await call("POST /program-requests/{id}/reject", { path: { id }, body })).data;
	});
	return (
		<DecisionPanel
			id={id}
			title={t.rejectTitle}
			text={kind === "new" ? t.rejectText : t.rejectChangeText}
			action={decision}
			submitLabel={t.reject}
			isDanger
		>
			<div ref={place}>
				<Note id={id} label={t.reason} isRequired />
			</div>
		</DecisionPanel>
	);
}

interface NoteProps {
	readonly id: string;
	readonly label: string;
	readonly isRequired: boolean;
}

function Note({ id, label, isRequired }: NoteProps) {
	return (
		<TextArea
			name="review_note"
			label={label}
			required={isRequired}
			optional={!isRequired}
			limit={REVIEW_NOTE_MAX}
			rows={2}
			value={draftOf(id).note}
			onValue={(note) => changeDraft(id, { note })}
		/>
	);
}
