// How a person signs in: password, second factors and linked accounts.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import type { Details } from "./person-details.ts";

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
	const none = <span class="lk-muted">{t.isOff}</span>;
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
	if (accounts.length === 0) return <span class="lk-muted">{t.noLinkedAccounts}</span>;
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
