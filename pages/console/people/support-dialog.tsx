// Creates a support session for a person, and shows its URL once.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ApplicationSelect } from "./application-select.tsx";
import { nameOf } from "./person-rules.ts";

const MINUTES = ["5", "15", "30", "60"] as const;

export function SupportDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
	const t = useWords("console-people").support;
	const { values, field } = useFields({ reason: "", ticket: "", minutes: "30" });
	const [appId, setAppId] = useState("");
	const create = useAction(async () => {
		const { reason, ticket, minutes } = values;
		const body = {
			reason,
			minutes: Number(minutes),
			...(ticket !== "" && { ticket }),
			...(appId !== "" && { app_id: appId }),
		};
		const { data } = await call("POST /users/{id}/support-sessions", { path: { id: user.id }, body });
		location.assign(data.url);
	});
	return (
		<FormDialog
			title={t.title(nameOf(user))}
			text={t.text}
			submitLabel={t.submit}
			action={create}
			onClose={onClose}
		>
			<TextArea {...field("reason")} label={t.reason} hint={t.reasonHint} required />
			<Select
				{...field("minutes")}
				label={t.duration}
				options={MINUTES.map((value) => ({ value, label: t.minutes(Number(value)) }))}
			/>
			<ApplicationSelect
				value={appId}
				onValue={(chosen) => setAppId(chosen?.id ?? "")}
				noneLabel={t.accountOnly}
				hint={t.applicationHint}
				isOffered={(application) => application.support_sessions}
			/>
			<TextInput {...field("ticket")} label={t.ticket} optional />
		</FormDialog>
	);
}
