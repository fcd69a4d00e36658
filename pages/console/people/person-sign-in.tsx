// How a person signs in: password, second factors and linked accounts.

import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import type { User } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { SkeletonBar } from "../../ui/skeleton.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";

export function PersonSignIn({ user, round }: { readonly user: User; readonly round: number }) {
	const t = useWords("console-people");
	const path = { id: user.id };
	const linked = useQuery(`GET /users/${user.id}/third-party-accounts ${round}`, (signal) =>
		call("GET /users/{id}/third-party-accounts", { path, signal }),
	);
	const factors = useQuery(`GET /users/${user.id}/mfa ${round}`, (signal) =>
		call("GET /users/{id}/mfa", { path, signal }),
	);
	const error = factors.error ?? linked.error;
	const reload = () => {
		factors.reload();
		linked.reload();
	};
	return (
		<Card title={t.signInWays}>
			<DescriptionList
				items={[
					...factorItems(factors.data?.data, t),
					{ term: t.linkedAccounts, value: <LinkedAccounts accounts={linked.data?.data} /> },
				]}
			/>
			{error !== undefined && <LoadError error={error} onRetry={reload} />}
		</Card>
	);
}

function factorItems(factors: Schemas["SecondFactors"] | undefined, t: WordsOf<"console-people">) {
	if (factors === undefined)
		return [t.password, t.secondFactor].map((term) => ({ term, value: <SkeletonBar /> }));
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

function LinkedAccounts({
	accounts,
}: {
	readonly accounts: readonly { id: string; provider: string; provider_user_id: string }[] | undefined;
}) {
	const t = useWords("console-people");
	if (accounts === undefined) return <SkeletonBar />;
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
