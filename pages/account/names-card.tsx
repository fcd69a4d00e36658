// The identifiers for sign-in: username and email address.

import { useState } from "preact/hooks";
import { session } from "../api/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EntryList } from "../ui/entry-list.tsx";
import { mail, person } from "../ui/icons.ts";
import { useWords } from "../words/words.ts";
import { EmailDialog } from "./email-dialog.tsx";
import { ownUser } from "./own-user.ts";

export function NamesCard() {
	const t = useWords("account");
	const [isOpen, setOpen] = useState(false);
	const { username, email, email_verified } = session.value.user ?? ownUser();
	const badge = email_verified ? (
		<Badge tone="success">{t.verified}</Badge>
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
						title: email,
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
