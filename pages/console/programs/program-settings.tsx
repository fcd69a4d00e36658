// What an administrator sets for a program: its APIs, who may use it, and when it ends.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf, entriesOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { ListField } from "../editing/list-field.tsx";
import { isAdmin } from "../roles.ts";

interface ProgramSettingsProps {
	readonly program: Schemas["Program"];
	readonly onSaved: () => void;
}

export function ProgramSettings({ program, onSaved }: ProgramSettingsProps) {
	const t = useWords("console-partners").programs;
	const words = useWords("console-partners").programRequests;
	const { values, field } = useFields({
		allowed_resources: program.allowed_resources.join("\n"),
		access_policy: program.access_policy === "open",
	});
	const day = dayOf(program.expires_at);
	const [lastDay, setLastDay] = useState(day);
	const save = useAction(async () => {
		const body = {
			allowed_resources: entriesOf(values.allowed_resources),
			access_policy: values.access_policy ? ("open" as const) : ("assigned" as const),
			// An unchanged day keeps its time of day.
			...(lastDay !== day && { expires_at: endOf(lastDay) }),
		};
		const path = { application_id: program.application_id };
		await call("PATCH /programs/{application_id}", { path, body });
		forgetQueries("GET /programs");
		announce(t.saved);
		onSaved();
	});
	return (
		<Card title={t.settings}>
			<Form action={save} submitLabel={isAdmin() ? t.save : undefined}>
				<ListField
					{...field("allowed_resources")}
					label={t.resources}
					hint={t.resourcesHint}
					addLabel={t.addResource}
					disabled={!isAdmin()}
				/>
				<Checkbox
					{...field("access_policy")}
					label={words.forEveryone}
					hint={words.forEveryoneHint}
					disabled={!isAdmin()}
				/>
				<ExpiryField value={lastDay} onValue={setLastDay} />
			</Form>
		</Card>
	);
}
