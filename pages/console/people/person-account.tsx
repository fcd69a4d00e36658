// The account of a person: its identifiers and dates, and how the person signs in.

import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Email } from "../../ui/email.tsx";
import { Time } from "../../ui/time.tsx";
import { LANGUAGES, type Language } from "../../words/language.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import type { Details } from "./person-details.ts";
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
								<Badge tone={user.email_verified ? "plain" : "warning"}>
									{user.email_verified ? t.verified : t.unverified}
								</Badge>
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

/** Password, second factors and linked accounts. */
export function PersonSignIn({ user }: { readonly user: Details }) {
	const t = useWords("console-people");
	return (
		<Card title={t.signInWays}>
			<DescriptionList
				items={[
					...factorItems(user.second_factors, t),
					{ term: t.linkedAccounts, value: <LinkedAccounts accounts={user.third_party_accounts.data} /> },
				]}
			/>
		</Card>
	);
}

function factorItems(factors: Schemas["SecondFactors"], t: WordsOf<"console-people">) {
	const { has_password, mfa_enabled, totp, passkeys, recovery_codes_left, required } = factors;
	const none = <span class="lk-muted">{t.none}</span>;
	const enrolled = (
		<span class="lk-row">
			{!mfa_enabled && none}
			{totp && <Badge>{t.authenticatorApp}</Badge>}
			{passkeys > 0 && <Badge>{t.passkeys(passkeys)}</Badge>}
			{required && <Badge tone={mfa_enabled ? "neutral" : "warning"}>{t.isRequired}</Badge>}
		</span>
	);
	return [
		{ term: t.password, value: has_password ? t.hasPassword : none },
		{ term: t.secondFactor, value: enrolled },
		...(mfa_enabled ? [{ term: t.recoveryCodes, value: t.left(recovery_codes_left) }] : []),
	];
}

interface LinkedAccountsProps {
	readonly accounts: readonly Schemas["ThirdPartyAccount"][];
}

function LinkedAccounts({ accounts }: LinkedAccountsProps) {
	const t = useWords("console-people");
	if (accounts.length === 0) return <span class="lk-muted">{t.none}</span>;
	return (
		<span class="lk-row">
			{accounts.map(({ id, provider, provider_user_id }) => (
				<span key={id} title={provider_user_id}>
					<Badge>{provider}</Badge>
				</span>
			))}
		</span>
	);
}
