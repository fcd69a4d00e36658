// What the IT of an organization set up with a link.

import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { linkStateOf } from "./domain-state.ts";
import type { Provider } from "./provider-kinds.ts";

interface SetUpProps {
	readonly provider: Provider;
}

export function SetUpCard({ provider }: SetUpProps) {
	const t = useWords("console-settings").domains;
	const state = linkStateOf(provider.set_up);
	if (state === "none") return null;
	return (
		<Card title={t.setUpTitle} description={t.setUpStates[state]}>
			<SetUpFacts provider={provider} />
		</Card>
	);
}

export function SetUpFacts({ provider: { set_up, issuer, client_id, subject_claim } }: SetUpProps) {
	const { domains: t, providers } = useWords("console-settings");
	if (!set_up) return null;
	const { domain, tested_by, tested_at, finished_at, expires_at } = set_up;
	return (
		<DescriptionList
			items={[
				{ term: t.domain, value: domain },
				{ term: providers.issuer, value: issuer },
				{ term: providers.clientIds.oidc, value: client_id },
				{ term: providers.subjectClaim, value: <code>{subject_claim}</code> },
				{ term: t.triedBy, value: tested_by },
				tested_at !== null && { term: t.triedAt, value: <Time at={tested_at} format="datetime" /> },
				finished_at === null
					? { term: t.linkExpires, value: <Time at={expires_at} format="datetime" /> }
					: { term: t.finishedAt, value: <Time at={finished_at} format="datetime" /> },
			]}
		/>
	);
}
