// `/console/people/{id}`: the details of a person, and the actions of an administrator.

import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { forgetQueries, type Query } from "../../api/query.ts";
import { session } from "../../api/session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronDown } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { EditPersonDialog } from "./edit-person-dialog.tsx";
import { ExplainAccess } from "./explain-access.tsx";
import "./person.css";
import { useAction } from "../../api/query.ts";
import type { User } from "../../api/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { PersonAccess, PersonGroups } from "./person-access.tsx";
import { PersonAccount } from "./person-account.tsx";
import { type PersonAction, type PersonActionKey, usePersonActions } from "./person-actions.ts";
import { type Details, useDetails } from "./person-details.ts";
import { PersonEvents } from "./person-events.tsx";
import { PersonNotices } from "./person-notices.tsx";
import { mayManage, maySupport, nameOf } from "./person-rules.ts";
import { PersonSessions } from "./person-sessions.tsx";
import { PersonSignIn } from "./person-sign-in.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { SupportDialog } from "./support-dialog.tsx";

export function Person({ params: { id = "" } }: ScreenProps) {
	const t = useWords("console-people");
	const query = useDetails(id);
	return (
		<RecordScreen
			query={query}
			list={{ label: t.title, href: "/console/people" }}
			nameOf={nameOf}
			unnamed={t.person}
		>
			{(details) => <Record key={details.id} user={details} query={query} />}
		</RecordScreen>
	);
}

interface RecordProps {
	readonly user: Details;
	readonly query: Query<Details>;
}

function Record({ user, query: { error, isLoading, reload } }: RecordProps) {
	const t = useWords("console-people");
	const [, navigate] = useLocation();
	const [asked, setAsked] = useState<PersonActionKey>();
	const [isEditing, setEditing] = useState(false);
	const [isSupporting, setSupporting] = useState(false);
	/** Counts the changes, so that the events reload. */
	const [round, setRound] = useState(0);
	const isLocked = user.locked;
	const changed = () => {
		forgetQueries("GET /users");
		setRound((count) => count + 1);
		reload();
	};
	const actions = usePersonActions(user, isLocked);
	const action = actions.find(({ key }) => key === asked);
	const begin = (key: PersonActionKey) => setAsked(key);
	return (
		<>
			<PageHeader
				title={nameOf(user)}
				description={<bdi>{user.email}</bdi>}
				media={<Avatar name={nameOf(user)} size="large" />}
				meta={
					<>
						<StatusBadge status={user.status} />
						{isLocked && <Badge tone="danger">{t.locked}</Badge>}
						{user.id === session.value.user?.id && <Badge tone="info">{t.yourself}</Badge>}
					</>
				}
				actions={
					<>
						{maySupport(user) && <Button onClick={() => setSupporting(true)}>{t.support.button}</Button>}
						{mayManage(user) && (
							<>
								<Button onClick={() => setEditing(true)}>{t.edit}</Button>
								<Menu
									label={uiWords().actionsOf(nameOf(user))}
									buttonClass="lk-button lk-button--secondary"
									items={actions.map(({ key, label, icon, tone, startsGroup }) => ({
										label,
										icon,
										tone,
										startsGroup,
										onSelect: () => begin(key),
									}))}
								>
									<span class="lk-button__label">{uiWords().actions}</span>
									<Icon shape={chevronDown} />
								</Menu>
							</>
						)}
					</>
				}
			/>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			<PersonNotices user={user} isLocked={isLocked} onAction={mayManage(user) ? begin : undefined} />
			<div class="lk-person">
				<div class="lk-stack">
					<PersonAccount user={user} />
					<PersonSignIn user={user} />
					<PersonGroups user={user} onChanged={changed} />
				</div>
				<div class="lk-stack">
					<PersonSessions
						user={user}
						onEndAll={mayManage(user) ? () => begin("endSessions") : undefined}
						onEnded={changed}
					/>
					<PersonAccess user={user} onChanged={changed} />
					{isAdmin() && <ExplainAccess user={user} />}
					<PersonEvents user={user} round={round} />
				</div>
			</div>
			{isSupporting && <SupportDialog user={user} onClose={() => setSupporting(false)} />}
			{isEditing && <EditPersonDialog user={user} onClose={() => setEditing(false)} onChanged={changed} />}
			{action !== undefined && (
				<PersonActionDialog
					action={action}
					user={user}
					onClose={() => setAsked(undefined)}
					onDone={(key) => {
						setAsked(undefined);
						if (key !== "remove") return changed();
						forgetQueries("GET /users");
						navigate("/console/people");
					}}
				/>
			)}
		</>
	);
}

interface PersonActionDialogProps {
	readonly action: PersonAction;
	readonly user: User;
	readonly onClose: () => void;
	readonly onDone: (key: PersonActionKey) => void;
}

function PersonActionDialog({ action, user, onClose, onDone }: PersonActionDialogProps) {
	const { undo } = action;
	const reverse = (work: () => Promise<string>) =>
		work().then(
			(text) => {
				announce(text);
				onDone(action.key);
			},
			(error: Error) => announce(error.message, "danger"),
		);
	const done = useAction(async () => {
		announce(await action.run(), "success", undo && (() => reverse(undo)));
		onDone(action.key);
	});
	return (
		<FormDialog
			size="small"
			onClose={onClose}
			title={action.label}
			submitLabel={action.label}
			tone={action.tone}
			typeToConfirm={action.isFinal === true ? user.username : undefined}
			action={done}
			text={action.question}
		/>
	);
}
