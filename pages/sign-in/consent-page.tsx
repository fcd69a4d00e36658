// `/consent`: asks the user for consent. Only the button grants access; opening the page does not.

import { useEffect } from "preact/hooks";
import { useAction, useQuery } from "../api/query.ts";
import { session } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { DescriptionList } from "../ui/description-list.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { uiWords } from "../ui/words.ts";
import { useWords } from "../words/words.ts";
import { ApplicationLead } from "./application-lead.tsx";
import { BackToApplication } from "./back-to-application.tsx";
import { PageFrame } from "./frame.tsx";
import { completeInteraction, type Interaction, openInteraction } from "./interaction.ts";
import { ProgramHosts } from "./program-hosts.tsx";
import { RequestedAccess } from "./requested-access.tsx";
import { useShownError } from "./shown-error.ts";
import { SignedInOrOther } from "./signed-in-as.tsx";

const id = new URLSearchParams(location.search).get("interaction") ?? "";
/** Starts a session or adds its second factor, then continues. */
const signInPath = `/sign-in${location.search}`;

export function ConsentPage() {
	const t = useWords("consent");
	const asked = useQuery("interaction", () => openInteraction(id));
	const error = useShownError(asked.error);
	const isSignedIn = session.value.state === "signed-in";
	const isElsewhere = asked.data !== undefined && (!isSignedIn || asked.data.prompt === "login");
	useEffect(() => {
		if (isElsewhere) location.replace(signInPath);
	}, [isElsewhere]);
	if (asked.data === undefined || isElsewhere)
		return (
			<PageFrame title={t.title}>
				{error === undefined && <Skeleton lines={6} />}
				{error !== undefined &&
					(asked.error?.status === 404 ? (
						<Notice tone="danger">{error.message}</Notice>
					) : (
						<LoadError error={error} onRetry={asked.reload} pending={asked.isLoading} />
					))}
			</PageFrame>
		);
	return <Question interaction={asked.data} />;
}

function Question({ interaction }: { interaction: Interaction }) {
	const t = useWords("consent");
	const { application, first_party: isOwn } = interaction;
	const allow = useAction(async () => location.replace(await completeInteraction(id, "consent")));
	const error = useShownError(allow.error);
	const isProofDue = error?.code === "mfa.required" || allow.error?.status === 401;
	useEffect(() => {
		if (isProofDue) location.replace(signInPath);
	}, [isProofDue]);
	return (
		<PageFrame
			title={t.title}
			lead={<ApplicationLead logoUrl={application.logo_url}>{t.asks(application.name)}</ApplicationLead>}
			below={<SignedInOrOther signInPath={signInPath} label={t.otherAccount} />}
		>
			{interaction.program !== null && <ProgramHosts program={interaction.program} />}
			{interaction.program === null && interaction.redirect_scheme !== "" && (
				<>
					<DescriptionList items={[{ term: t.app.scheme, value: interaction.redirect_scheme }]} />
					<Notice>{t.app.onDevice}</Notice>
				</>
			)}
			<RequestedAccess requested={interaction} isOnce={!isOwn} />
			{isOwn && <p class="lk-muted">{t.onlyYours}</p>}
			{error !== undefined && !isProofDue && <Notice tone="danger">{error.message}</Notice>}
			<Button variant="primary" wide pending={allow.isPending || isProofDue} onClick={allow.run}>
				{t.allow}
			</Button>
			<BackToApplication interaction={id} label={uiWords().cancel} />
		</PageFrame>
	);
}
