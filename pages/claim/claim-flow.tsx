// The page of a link that gives credentials once: explains it, and then shows them.

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { NextSteps } from "../portal/next-steps.tsx";
import { PartnerFrame } from "../portal/partner-frame.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ClaimOffer, type OfferWords } from "./claim-offer.tsx";
import "./claim-page.css";
import { Credentials } from "./credentials.tsx";
import type { ClaimedClient } from "./first-call.tsx";
import { type ChosenProof, useProof } from "./proof-choice.tsx";

interface ClaimFlowProps {
	readonly words: OfferWords & {
		readonly title: string;
		readonly intro: string;
		readonly doneTitle: string;
		readonly doneIntro: string;
	};
	/** Of an access request. */
	readonly step: number;
	/** The error of a link that is no longer valid. */
	readonly goneCode: string;
	readonly token: string;
	/** Whether the partner may choose a key instead of a Secret. */
	readonly takesKeys?: boolean;
	readonly claim: (key: ChosenProof["body"]) => Promise<ClaimedClient>;
}

export function ClaimFlow({ words: t, step, goneCode, token, takesKeys = false, claim }: ClaimFlowProps) {
	const [client, setClient] = useState<ClaimedClient>();
	const proof = useProof();
	const claiming = useAction(async () => {
		const taken = proof.take();
		if (taken !== undefined) setClient({ ...(await claim(taken.body)), privateKey: taken.privateKey });
	});
	useEffect(() => {
		if (client !== undefined) document.querySelector("h1")?.focus();
	}, [client]);
	if (client !== undefined)
		return (
			<PartnerFrame title={t.doneTitle}>
				<PageHeader title={t.doneTitle} description={t.doneIntro} />
				<Credentials client={client} />
			</PartnerFrame>
		);
	return (
		<PartnerFrame title={t.title} aside={<NextSteps current={step} />}>
			<PageHeader title={t.title} description={t.intro} />
			<ClaimOffer words={t} goneCode={goneCode} hasToken={token !== ""} proof={proof} claiming={claiming}>
				{takesKeys && proof.fields}
			</ClaimOffer>
		</PartnerFrame>
	);
}
