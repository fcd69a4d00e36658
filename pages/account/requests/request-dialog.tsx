// Requests roles of an application for a time.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { PERSON_REASON_MAX } from "../../api/limits.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";

interface RequestDialogProps {
	readonly application: Schemas["RequestableApplication"];
	readonly onClose: () => void;
	readonly onRequested: () => void;
}

const HOUR_MS = 3_600_000;
/** Hours to choose from, as far as the application allows. */
const HOURS = [1, 8, 24, 168, 720];
/** The clock of the browser may be ahead of that of the service. */
const SLACK_MS = 60_000;
const REASON_MIN = 10;

export function RequestDialog({ application, onClose, onRequested }: RequestDialogProps) {
	const t = useWords("account").applications;
	const { app_id, name, roles, longest } = application;
	const most = Number(longest.replaceAll(/[^0-9]/g, "")) * (longest.endsWith("D") ? 24 : 1);
	const choices = [...new Set([...HOURS.filter((hours) => hours < most), most])];
	const [only] = roles.length === 1 ? roles : [];
	const [chosen, setChosen] = useState<readonly string[]>(only === undefined ? [] : [only.name]);
	const [reason, setReason] = useState("");
	const [hours, setHours] = useState(String(choices.find((one) => one >= 24) ?? most));
	const [errors, setErrors] = useState<Record<string, string>>();
	const ask = useAction(async () => {
		const missing = {
			...(roles.length > 0 && chosen.length === 0 && { roles: t.chooseRole }),
			...([...reason.trim()].length < REASON_MIN && { reason: t.reasonShort(REASON_MIN) }),
		};
		setErrors(missing);
		if (Object.keys(missing).length > 0) return;
		const until = new Date(Date.now() + Number(hours) * HOUR_MS - SLACK_MS).toISOString();
		await call("POST /users/me/requests", { body: { app_id, roles: [...chosen], reason, until } });
		forgetQueries("GET /users/me/requests");
		announce(t.sent(name));
		onClose();
		onRequested();
	});
	return (
		<FormDialog
			title={t.requestTitle(name)}
			submitLabel={t.send}
			action={ask}
			errors={errors}
			onClose={onClose}
		>
			{roles.length > 0 && (
				<CheckboxGroup
					name="roles"
					label={t.roles}
					values={chosen}
					onValues={setChosen}
					options={roles.map(({ name: role, description }) => ({
						value: role,
						label: role,
						hint: description || undefined,
					}))}
				/>
			)}
			<TextArea
				name="reason"
				label={t.reason}
				hint={t.reasonHint}
				required
				limit={PERSON_REASON_MAX}
				rows={3}
				value={reason}
				onValue={setReason}
			/>
			<Select
				name="until"
				label={t.howLong}
				value={hours}
				onValue={setHours}
				options={choices.map((one) => ({ value: String(one), label: t.duration(one) }))}
			/>
		</FormDialog>
	);
}
