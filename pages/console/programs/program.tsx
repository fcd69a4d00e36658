// `/console/programs/{id}`: a reviewed program, its settings, and how its published document differs.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Form } from "../../ui/form.tsx";
import { Link } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf, entriesOf } from "../client-settings/client-settings.ts";
import { ExpiryField } from "../client-settings/expiry-field.tsx";
import { deleteRecord } from "../dialogs.tsx";
import { ListField } from "../editing/list-field.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { Differences } from "./differences.tsx";
import { ProgramDocument } from "./program-document.tsx";
import { ProgramState } from "./program-state.tsx";

const LIST = "/console/programs";

export function ProgramPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-partners").programs;
	const query = useCall("GET /programs/{application_id}", { path: { application_id: id } });
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: LIST }}
			nameOf={({ data }) => data.name}
			unnamed={t.program}
		>
			{({ data }) => <Shown program={data} reload={query.reload} />}
		</RecordScreen>
	);
}

/** What the form changes: another change of the program, such as a suspension, keeps what an administrator typed. */
function settingsOf({ allowed_resources, access_policy, expires_at }: Schemas["Program"]): string {
	return JSON.stringify([allowed_resources, access_policy, expires_at]);
}

interface ShownProps {
	readonly program: Schemas["Program"];
	readonly reload: () => void;
}

function Shown({ program, reload }: ShownProps) {
	const t = useWords("console-partners").programs;
	const path = { application_id: program.application_id };
	const isSuspended = program.status === "suspended";
	const toggle = useAction(async () => {
		const body = { status: isSuspended ? ("active" as const) : ("suspended" as const) };
		await call("PATCH /programs/{application_id}", { path, body });
		forgetQueries("GET /programs");
		announce(isSuspended ? t.resumed : t.suspended);
		reload();
	});
	const readAgain = useAction(async () => {
		await call("POST /programs/{application_id}/read-again", { path });
		announce(t.readingAgain);
	});
	const remove = () =>
		deleteRecord({
			name: program.name,
			title: t.removeTitle,
			text: t.removeText,
			submitLabel: t.remove,
			done: t.removed,
			list: LIST,
			act: () => call("DELETE /programs/{application_id}", { path }),
		});
	const error = toggle.error ?? readAgain.error;
	return (
		<>
			<PageHeader
				title={program.name}
				description={program.host}
				meta={<ProgramState program={program} />}
				actions={
					isAdmin() && (
						<span class="lk-row">
							<Button pending={toggle.isPending} onClick={() => toggle.run()}>
								{isSuspended ? t.resume : t.suspend}
							</Button>
							<Menu
								items={[
									{ label: t.readAgain, onSelect: () => readAgain.run() },
									{ label: t.remove, tone: "danger", onSelect: remove },
								]}
							/>
						</span>
					)
				}
			/>
			<div class="lk-stack">
				<ErrorNotice error={error} />
				{program.change_request_id !== null && (
					<Notice
						tone="warning"
						title={t.changePending}
						action={<Link href={`/console/requests/${program.change_request_id}`}>{t.openRequest}</Link>}
					>
						{t.changePendingText}
					</Notice>
				)}
				{program.differences.length > 0 && <Differences differences={program.differences} />}
				<Card title={t.facts}>
					<DescriptionList
						items={[
							{ term: t.clientId, value: <code>{program.client_id}</code> },
							{ term: t.reviewedAt, value: <Time at={program.reviewed_at} format="datetime" /> },
							{ term: t.readAt, value: <Time at={program.read_at} format="datetime" /> },
							program.suspended_by !== null && {
								term: t.suspendedBy,
								value: t.suspenders[program.suspended_by],
							},
						]}
					/>
				</Card>
				<ProgramSettings key={settingsOf(program)} program={program} onSaved={reload} />
				<ProgramDocument document={program.document} />
			</div>
		</>
	);
}

/** What an administrator sets: its APIs, who may use it, and when it ends. */
interface ProgramSettingsProps {
	readonly program: Schemas["Program"];
	readonly onSaved: () => void;
}

function ProgramSettings({ program, onSaved }: ProgramSettingsProps) {
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
