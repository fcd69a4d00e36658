// `/console/applications`: the applications that people sign in to and partners connect to.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../../api/client.ts";
import { APPLICATION_DESCRIPTION_MAX, APPLICATION_NAME_MAX } from "../../api/limits.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { application as applicationIcon } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { announce } from "../../ui/status-line.tsx";
import type { Column } from "../../ui/table.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { counted } from "../counted.ts";
import { giveMyself } from "../grants/change-grant.ts";
import { isAdmin } from "../roles.ts";
import { useScreenTitle } from "../screen-title.ts";
import { ApplicationName } from "./application-name.tsx";
import { type Policy, PolicyField } from "./policy-field.tsx";
import { StatusBadge } from "./status-badge.tsx";

type Application = Schemas["Application"];

export function Applications() {
	const t = useWords("console-access").applications;
	const state = useListState({ filters: ["q", "status", "from_access_request"] });
	const list = usePage("GET /applications", state, { query: { include: "usage" } });
	useScreenTitle(t.title);
	return (
		<List
			title={t.title}
			description={t.description}
			search={t.search}
			filters={[
				{
					name: "status",
					label: t.status,
					any: t.anyStatus,
					options: { active: t.active, disabled: t.disabled },
				},
				{
					name: "from_access_request",
					label: t.origin,
					any: t.anyOrigin,
					options: { true: t.fromApproval, false: t.notFromApproval },
				},
			]}
			add={isAdmin() && { label: t.add, dialog: (close) => <AddApplicationDialog onClose={close} /> }}
			list={list}
			state={state}
			caption={t.title}
			columns={columnsOf(t)}
			rowKey={({ id }) => id}
			hrefOf={({ id }) => `/console/applications/${id}`}
			noMatch={{ title: t.noMatch }}
			none={{ icon: applicationIcon, title: t.none, text: t.noneText, offersAdd: true }}
		/>
	);
}

function columnsOf(t: WordsOf<"console-access">["applications"]): readonly Column<Application>[] {
	return [
		{
			key: "name",
			header: t.name,
			cell: ({ name, description, logo_url }) => (
				<ApplicationName name={name} detail={description} logo={{ url: logo_url }} />
			),
		},
		{
			key: "sign_in",
			header: t.signIn,
			narrow: "plain",
			cell: ({ usage, require_mfa }) => (
				<span class="lk-row">
					{usage !== undefined && t.signInWays[usage.sign_in]}
					{require_mfa && <Badge tone="info">{t.secondFactor}</Badge>}
				</span>
			),
		},
		{
			key: "people",
			header: t.people,
			narrow: "hidden",
			align: "end",
			cell: ({ usage, access_policy }) => (access_policy === "open" ? t.everyone : counted(usage?.users)),
		},
		{
			key: "clients",
			header: t.apiClients,
			align: "end",
			cell: ({ usage }) => counted(usage?.api_clients),
			isDefault: ({ usage }) => usage?.api_clients === 0,
			narrow: "hidden",
		},
		{
			key: "last_sign_in_at",
			header: t.lastSignIn,
			isDefault: ({ last_sign_in_at: at }) => (at ?? null) === null,
			narrow: "end",
			cell: ({ last_sign_in_at: at }) => <Time at={at ?? null} none={t.never} />,
		},
		{
			key: "status",
			header: t.status,
			cell: ({ status }) => <StatusBadge status={status} />,
			isDefault: ({ status }) => status === "active",
		},
	];
}

/** The API counts no further. */
/** Creates an application; its page has the other settings. */
function AddApplicationDialog({ onClose }: { readonly onClose: () => void }) {
	const t = useWords("console-access").applications;
	const [, navigate] = useLocation();
	const { values, field } = useFields({ name: "", description: "", gives_me: true });
	const [policy, setPolicy] = useState<Policy>("assigned");
	const create = useAction(async () => {
		const body = { name: values.name.trim(), description: values.description, access_policy: policy };
		const { data } = await call("POST /applications", { body });
		// The application exists even if this fails, and its page offers it again.
		if (values.gives_me && policy === "assigned") await giveMyself(data.id).catch(reportError);
		forgetQueries("GET /applications");
		announce(t.added(data.name));
		navigate(`/console/applications/${data.id}#connect`);
	});
	return (
		<FormDialog onClose={onClose} title={t.addTitle} submitLabel={t.add} action={create}>
			<TextInput
				{...field("name")}
				label={t.name}
				hint={t.nameHint}
				limit={APPLICATION_NAME_MAX}
				required
				autoFocus
			/>
			<TextArea
				{...field("description")}
				label={t.whatFor}
				limit={APPLICATION_DESCRIPTION_MAX}
				rows={2}
				optional
			/>
			<PolicyField value={policy} onValue={setPolicy} />
			{policy === "assigned" && <Checkbox {...field("gives_me")} label={t.giveMe} />}
		</FormDialog>
	);
}
