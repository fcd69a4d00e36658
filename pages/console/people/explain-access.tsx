// Explains to an administrator why a person has access, or why not.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { PERMISSION_MAX } from "../../api/limits.ts";
import { useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { useSettled } from "../../api/settled.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { Explanation } from "./explanation.tsx";
import { nameOf } from "./person-rules.ts";

interface Explained {
	readonly explained: Schemas["AccessExplanation"];
	readonly application: string;
}

/** The form opens on request: few visits need it, and it loads the applications. */
export function ExplainAccess({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const [isOpen, setOpen] = useState(false);
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
			...(values.at !== "" && { at: new Date(values.at).toISOString() }),
		};
		const { data } = await call("POST /access/explain", { body });
		setResponse({ explained: data, application: application.name });
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

const SHOWN_MAX = 100;

interface Choice {
	readonly id: string;
	readonly name: string;
}

interface ApplicationSelectProps {
	readonly value: string;
	readonly onValue: (chosen: Choice | undefined) => void;
}

/** Selects an application; a search appears if there are too many for a list. */
function ApplicationSelect({ value, onValue }: ApplicationSelectProps) {
	const t = useWords("console-people");
	const { values, field } = useFields({ q: "" });
	const q = useSettled(values.q);
	const [isLong, setLong] = useState(false);
	const { data, error, reload } = useQuery(`GET /applications choice ${q}`, (signal) =>
		call("GET /applications", { query: { q, page_size: SHOWN_MAX }, signal }),
	);
	const total = data?.total ?? 0;
	useEffect(() => {
		if (total > SHOWN_MAX) setLong(true);
	}, [total]);
	const found = data?.data ?? [];
	useEffect(() => {
		if (value !== "" && data !== undefined && !found.some(({ id }) => id === value)) onValue(undefined);
	}, [data]);
	const sorted = found.toSorted((a, b) => a.name.localeCompare(b.name));
	if (error !== undefined) return <LoadError error={error} onRetry={reload} />;
	return (
		<>
			{isLong && <TextInput {...field("q")} label={t.findApplication} optional />}
			<Select
				name="app_id"
				label={t.application}
				value={value}
				onValue={(id) => onValue(found.find((one) => one.id === id))}
				options={[
					{ value: "", label: t.chooseApplication },
					...sorted.map(({ id, name }) => ({ value: id, label: name })),
				]}
			/>
		</>
	);
}
