// Explains to an administrator why a person has access, or why not.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { ApplicationSelect } from "./application-select.tsx";
import { Explanation } from "./explanation.tsx";
import { nameOf } from "./person-rules.ts";

const PERMISSION_MAX = 128;

interface EndpointResponse {
	readonly explained: Schemas["AccessExplanation"];
	readonly application: string;
}

export function ExplainAccess({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const [application, setApplication] = useState<{ readonly id: string; readonly name: string }>();
	const [permission, setPermission] = useState("");
	const [moment, setMoment] = useState("");
	const [response, setAnswer] = useState<EndpointResponse>();
	const [isMissing, setMissing] = useState(false);
	const action = useAction(async () => {
		setMissing(application === undefined);
		if (application === undefined) return;
		const body = {
			user_id: user.id,
			app_id: application.id,
			...(permission.trim() !== "" && { permission: permission.trim() }),
			...(moment !== "" && { at: new Date(moment).toISOString() }),
		};
		const { data } = await call("POST /access/explain", { body });
		setAnswer({ explained: data, application: application.name });
	});
	return (
		<Card title={t.why} description={t.whyText}>
			<Form
				onSubmit={action.run}
				error={action.error}
				errors={isMissing ? { app_id: t.chooseApplication } : undefined}
				pending={action.isPending}
			>
				<div class="lk-person-question">
					<ApplicationSelect
						value={application?.id ?? ""}
						onValue={(chosen) => {
							setApplication(chosen);
							setMissing(false);
						}}
					/>
					<TextInput
						name="permission"
						label={t.permission}
						hint={t.permissionHint}
						value={permission}
						onValue={setPermission}
						limit={permission.length > PERMISSION_MAX ? PERMISSION_MAX : undefined}
						code
						optional
					/>
					<TextInput
						name="at"
						type="datetime-local"
						label={t.moment}
						hint={t.momentHint}
						value={moment}
						onValue={setMoment}
						optional
					/>
				</div>
				<FormActions>
					<Button type="submit" pending={action.isPending}>
						{t.ask}
					</Button>
				</FormActions>
			</Form>
			<div role="status">{response !== undefined && <Explanation {...response} name={nameOf(user)} />}</div>
		</Card>
	);
}
