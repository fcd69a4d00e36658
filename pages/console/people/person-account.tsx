// The account of a person: its identifiers and dates.

import type { User } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Email } from "../../ui/email.tsx";
import { Time } from "../../ui/time.tsx";
import { LANGUAGES, type Language } from "../../words/language.ts";
import { useWords } from "../../words/words.ts";
import { RoleBadges } from "./status-badge.tsx";

export function PersonAccount({ user }: { readonly user: User }) {
	const t = useWords("console-people");
	const { locale } = user;
	return (
		<Card title={t.account}>
			<DescriptionList
				items={[
					{
						term: t.email,
						value: (
							<span class="lk-row">
								<Email address={user.email} />
								{user.email_verified ? (
									<Badge tone="plain">{t.verified}</Badge>
								) : (
									<Badge tone="warning">{t.unverified}</Badge>
								)}
							</span>
						),
					},
					{ term: t.username, value: user.username },
					{
						term: t.roles,
						value: user.roles.length === 0 ? t.noRoles : <RoleBadges roles={user.roles} />,
					},
					{
						term: t.lastSignIn,
						value: user.last_login_at === null ? t.never : <Time at={user.last_login_at} />,
					},
					{ term: t.created, value: <Time at={user.created_at} format="date" /> },
					{
						term: t.language,
						value: locale === null ? t.automatic : (LANGUAGES[locale as Language] ?? locale),
					},
				]}
			/>
			<CopyField label={t.id} value={user.id} />
		</Card>
	);
}
