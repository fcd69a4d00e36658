// `/console/programs/{id}`: a reviewed program, its settings, and how its published document differs.

import { call } from "../../api/client.ts";
import { forgetQueries, useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useDelete } from "../../dialogs/use-delete.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Link } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { announce } from "../../ui/status-line.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { Differences } from "./differences.tsx";
import { ProgramDocument } from "./program-document.tsx";
import { ProgramSettings } from "./program-settings.tsx";
import { ProgramState } from "./program-state.tsx";

const LIST = "/console/programs";

export function ProgramPage({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-partners").programs;
	const query = useQuery(`GET /programs/${id}`, (signal) =>
		call("GET /programs/{application_id}", { path: { application_id: id }, signal }),
	);
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
	const removal = useDelete({
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
									{ label: t.remove, tone: "danger", onSelect: removal.ask },
								]}
							/>
						</span>
					)
				}
			/>
			<div class="lk-stack">
				{error !== undefined && (
					<Notice tone="danger">
						<ErrorText error={error} />
					</Notice>
				)}
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
							...(program.suspended_by === null
								? []
								: [{ term: t.suspendedBy, value: t.suspenders[program.suspended_by] }]),
						]}
					/>
				</Card>
				<ProgramSettings key={settingsOf(program)} program={program} onSaved={reload} />
				<ProgramDocument document={program.document} />
			</div>
			{removal.dialog}
		</>
	);
}
