// `/account`: name, language, email address, and deletion of the account.

import { useState } from "preact/hooks";
import { call, callFile } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { session, signOut } from "../api/session.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Email } from "../ui/email.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { download, mail, person } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { save } from "../ui/secret-box.tsx";
import { useWords } from "../words/words.ts";
import { EmailDialog } from "./email-dialog.tsx";
import { ownUser } from "./own-user.ts";
import { proveOwner } from "./owner-dialog.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { RequestMailsCard } from "./request-mails-card.tsx";
import { MyApplications } from "./requests/my-applications.tsx";

export function Profile() {
	// Redraws when the user changes.
	const { username, display_name } = session.value.user ?? ownUser();
	const name = display_name || username;
	return (
		<>
			<PageHeader
				media={<Avatar name={name} size="large" />}
				title={name}
				description={<bdi>{username}</bdi>}
			/>
			<div class="lk-stack">
				<MyApplications />
				<ProfileCard />
				<NamesCard />
				<RequestMailsCard />
				<ExportCard />
				<DeleteCard />
			</div>
		</>
	);
}

/** The identifiers for sign-in: username and email address. */
function NamesCard() {
	const t = useWords("account");
	const [isOpen, setOpen] = useState(false);
	const { username, email, email_verified } = session.value.user ?? ownUser();
	const badge = email_verified ? (
		<Badge tone="plain">{t.verified}</Badge>
	) : (
		<Badge tone="warning">{t.unverified}</Badge>
	);
	return (
		<Card title={t.names} description={t.namesText} flush>
			<EntryList
				label={t.names}
				entries={[
					{ key: "username", icon: person, title: username, detail: t.usernameText },
					{
						key: "email",
						icon: mail,
						title: <Email address={email} />,
						badge,
						detail: t.emailText,
						actions: (
							<Button size="small" onClick={() => setOpen(true)}>
								{t.changeEmail}
							</Button>
						),
					},
				]}
			/>
			{isOpen && <EmailDialog onClose={() => setOpen(false)} />}
		</Card>
	);
}

/** Lets users save what is stored about them. The call asks to sign in again if the sign-in is too old. */
function ExportCard() {
	const t = useWords("account");
	const { run, isPending, error } = useAction(async () =>
		save({ name: "personal-data.json", content: await callFile("GET /users/me/export", {}) }),
	);
	return (
		<Card
			title={t.exportTitle}
			description={t.exportText}
			actions={
				<Button icon={download} pending={isPending} onClick={run}>
					{t.exportTitle}
				</Button>
			}
		>
			{error !== undefined && <LoadError error={error} onRetry={run} pending={isPending} />}
		</Card>
	);
}

/** Lets users delete their own account. */
function DeleteCard() {
	const t = useWords("account");
	const ask = async () => {
		const deleted = await proveOwner({
			title: t.deleteTitle,
			text: t.deleteText,
			submitLabel: t.deleteAccount,
			tone: "danger",
			typeToConfirm: ownUser().username,
			act: (body) => call("DELETE /users/me", { body }),
		});
		if (deleted !== undefined) await signOut();
	};
	return (
		<Card
			tone="danger"
			title={t.deleteTitle}
			description={t.deleteText}
			actions={
				<Button variant="danger" onClick={ask}>
					{t.deleteAccount}
				</Button>
			}
		/>
	);
}
