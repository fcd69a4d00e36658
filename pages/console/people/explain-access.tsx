// Explains to an administrator why a person has access, or why not.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { PERMISSION_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { loadWords, useWords } from "../../words/words.ts";
import { ApplicationSelect } from "./application-select.tsx";
import { Explanation } from "./explanation.tsx";
import { CHECK_HASH, nameOf } from "./person-rules.ts";

interface Explained {
	readonly explained: Schemas["AccessExplanation"];
	/** Beside that of a past moment. */
	readonly now: Schemas["AccessExplanation"] | undefined;
	readonly application: string;
}

function isAsked(): boolean {
	return location.hash === CHECK_HASH;
}

/** The form opens on request: few visits need it, and it loads the applications. */
export function ExplainAccess({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const [isOpen, setOpen] = useState(isAsked);
	useEffect(() => {
		const follow = () => setOpen((before) => before || isAsked());
		// The router dispatches it.
		addEventListener("pushState", follow);
		return () => removeEventListener("pushState", follow);
	}, []);
	return (
		<Card
			title={t.why}
			description={t.whyText}
			actions={
				isOpen ? undefined : (
					<Button size="small" onClick={() => setOpen(true)}>
						{t.openCheck}
					</Button>
				)
			}
		>
			{isOpen ? <Check user={user} /> : undefined}
		</Card>
	);
}

function Check({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const place = useRef<HTMLDivElement>(null);
	useEffect(() => place.current?.querySelector("select")?.focus(), []);
	const [application, setApplication] = useState<{ readonly id: string; readonly name: string }>();
	const { values, field } = useFields({ permission: "", at: "" });
	const [response, setResponse] = useState<Explained>();
	const [isMissing, setMissing] = useState(false);
	const action = useAction(async () => {
		setMissing(application === undefined);
		if (application === undefined) return;
		const body = {
			user_id: user.id,
			app_id: application.id,
			...(values.permission.trim() !== "" && { permission: values.permission.trim() }),
		};
		const explain = async (moment: { readonly at?: string }) =>
			(await call("POST /access/explain", { body: { ...body, ...moment } })).data;
		const at = values.at === "" ? undefined : new Date(values.at).toISOString();
		const [explained, now] = await Promise.all([
			explain(at === undefined ? {} : { at }),
			at === undefined ? undefined : explain({}),
			// Of the table that compares them.
			at === undefined ? undefined : loadWords(["console-audit"]),
		]);
		setResponse({ explained, now, application: application.name });
	});
	return (
		<>
			<Form
				onSubmit={action.run}
				error={action.error}
				errors={isMissing ? { app_id: t.chooseApplication } : undefined}
				pending={action.isPending}
			>
				<div ref={place} class="lk-person-question">
					<ApplicationSelect
						value={application?.id ?? ""}
						noneLabel={t.chooseApplication}
						onValue={(chosen) => {
							setApplication(chosen);
							setMissing(false);
						}}
					/>
					<TextInput
						{...field("permission")}
						label={t.permission}
						hint={t.permissionHint}
						limit={values.permission.length > PERMISSION_MAX ? PERMISSION_MAX : undefined}
						code
						optional
					/>
					<TextInput {...field("at")} type="datetime-local" label={t.moment} hint={t.momentHint} optional />
				</div>
				<FormActions>
					<Button type="submit" pending={action.isPending}>
						{t.ask}
					</Button>
				</FormActions>
			</Form>
			<div role="status">{response !== undefined && <Explanation {...response} name={nameOf(user)} />}</div>
		</>
	);
}
