// When a reviewer is mailed about new requests.

import { call } from "../api/client.ts";
import { useAction, useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { Card } from "../ui/card.tsx";
import { Form } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { announce } from "../ui/status-line.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { ownUser } from "./own-user.ts";

type RequestMails = Schemas["RequestMails"];

const FREQUENCIES = ["at_once", "hourly", "daily"] as const;

export function RequestMailsCard() {
	const { data } = useQuery(`request mails ${ownUser().id}`, (signal) =>
		call("GET /users/me/request-mails", { signal }),
	);
	return data?.data.is_reviewer === true ? <Choice {...data.data} /> : null;
}

function Choice({ frequency }: RequestMails) {
	const t = useWords("account");
	const { values, field } = useFields({ frequency });
	const save = useAction(async () => {
		await call("PUT /users/me/request-mails", { body: { frequency: values.frequency } });
		announce(t.requestMailsSaved);
	});
	return (
		<Card title={t.requestMails}>
			<Form submitLabel={t.saveRequestMails} action={save}>
				<Select
					{...field("frequency")}
					label={t.requestMailsLabel}
					hint={t.requestMailsHint}
					options={FREQUENCIES.map((value) => ({ value, label: t.requestMailsOptions[value] }))}
				/>
			</Form>
		</Card>
	);
}
