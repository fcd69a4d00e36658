// `/console/people/{id}`: the details of a person, and the actions of an administrator.

import { useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { forgetQueries, type Query } from "../../api/query.ts";
import { session, type User } from "../../api/session.ts";
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
import { confirmAction, openDialog } from "../dialogs.tsx";
import { RecordScreen } from "../record-screen.tsx";
import { isAdmin } from "../roles.ts";
import type { ScreenProps } from "../screen-props.ts";
import { ExplainAccess } from "./explain-access.tsx";
import { EditPersonDialog, SupportDialog } from "./person-dialogs.tsx";
import "./person.css";
import { Notice } from "../../ui/notice.tsx";
import { PersonAccess, PersonGroups } from "./person-access.tsx";
import { PersonAccount, PersonSignIn } from "./person-account.tsx";
import { type PersonActionKey, usePersonActions } from "./person-actions.ts";
import { type Details, useDetails } from "./person-details.ts";
import { PersonEvents } from "./person-events.tsx";
import { mayManage, maySupport, nameOf } from "./person-rules.ts";
import { PersonSessions } from "./person-sessions.tsx";
import { StatusBadge } from "./status-badge.tsx";

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
	/** Counts the changes, so that the events reload. */
	const [round, setRound] = useState(0);
	const isLocked = user.locked;
	const changed = () => {
		forgetQueries("GET /users");
		setRound((count) => count + 1);
		reload();
	};
	const actions = usePersonActions(user, isLocked);
	const removed = () => {
		forgetQueries("GET /users");
		navigate("/console/people");
	};
	const begin = (asked: PersonActionKey) => {
		const found = actions.find(({ key }) => key === asked);
		if (found === undefined) return;
		const { text, tone, act, done, undo } = found;
		confirmAction({
			...{ text, tone, act, done, undo },
			title: found.label,
			submitLabel: found.label,
			typeToConfirm: found.isFinal === true ? user.username : undefined,
			onDone: asked === "remove" ? removed : changed,
		});
	};
	const support = () => openDialog((close) => <SupportDialog user={user} onClose={close} />);
	const edit = () =>
		openDialog((close) => <EditPersonDialog user={user} onClose={close} onChanged={changed} />);
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
						{maySupport(user) && <Button onClick={support}>{t.support.button}</Button>}
						{mayManage(user) && (
							<>
								<Button onClick={edit}>{t.edit}</Button>
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
		</>
	);
}

/** Why the person cannot sign in, with the action that resolves it. */
interface PersonNoticesProps {
	readonly user: User;
	readonly isLocked: boolean;
	/** Undefined if the user may not change the person. */
	readonly onAction: ((key: PersonActionKey) => void) | undefined;
}

function PersonNotices({ user, isLocked, onAction }: PersonNoticesProps) {
	const t = useWords("console-people");
	const button = (key: PersonActionKey, label: string) =>
		onAction && (
			<Button size="small" onClick={() => onAction(key)}>
				{label}
			</Button>
		);
	return (
		<div class="lk-person-notices">
			{user.status === "disabled" && (
				<Notice tone="warning" title={t.disabledTitle} action={button("enable", t.enable)}>
					{user.disabled_reason === "dormant" ? t.dormantText : t.disabledText}
				</Notice>
			)}
			{user.status === "invited" && (
				<Notice title={t.invitedTitle} action={button("inviteAgain", t.inviteAgain)}>
					{t.invitedText}
				</Notice>
			)}
			{isLocked && (
				<Notice tone="warning" title={t.lockedTitle} action={button("unlock", t.unlock)}>
					{t.lockedText}
				</Notice>
			)}
		</div>
	);
}
