// `/sign-in`: signs a user in and continues to their destination.

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "../api/query.ts";
import { restoreSession, session, startSession } from "../api/session.ts";
import { readStored, writeStored } from "../stored.ts";
import { brand } from "../ui/branding.ts";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { ApplicationLead } from "./application-lead.tsx";
import { BackToApplication } from "./back-to-application.tsx";
import { PageFrame } from "./frame.tsx";
import { Leave } from "./leave.tsx";
import { loadLaterSteps } from "./load-later-steps.ts";
import { openVisit } from "./open-visit.ts";
import { createsAutomatically, declinedKey, hasPasskeys, triedKey } from "./passkey.ts";
import { useShownError } from "./shown-error.ts";
import { SignInSteps } from "./sign-in-steps.tsx";
import type { PasskeyOfferProps } from "./step.ts";
import { readVisit, takeProviderOutcome } from "./visit.ts";
import { finishAtProvider, type Tokens } from "./visitor-call.ts";

const visit = readVisit(location.search);
const returned = takeProviderOutcome();
/**
 * Started immediately, in parallel with loading the words. A return from a provider starts a new session, even if one
 * exists.
 */
const restored = returned === undefined ? restoreSession().catch(() => undefined) : undefined;
let opening: ReturnType<typeof openVisit> | undefined = openVisit(visit);
opening.catch(() => undefined);

/** The started visit; started again if it failed. */
async function loadVisit() {
	const opened = opening ?? openVisit(visit);
	opening = undefined;
	await restored;
	return await opened;
}

export function SignInPage() {
	const t = useWords("sign-in");
	const opened = useQuery("visit", loadVisit);
	const error = useShownError(opened.error);
	// Also after a sign-in in another tab.
	const isSignedIn = session.value.state === "signed-in";
	const [isAgain, setAgain] = useState(false);
	const [isNew, setNew] = useState(returned !== undefined);
	const [offer, setOffer] = useState<{ readonly Offer: ComponentType<PasskeyOfferProps> }>();
	if (opened.data === undefined)
		return (
			<PageFrame title={t.signIn}>
				{error === undefined && <Skeleton lines={8} />}
				{error !== undefined &&
					(opened.error?.status === 404 ? (
						<Notice tone="danger">{error.message}</Notice>
					) : (
						<LoadError error={error} onRetry={opened.reload} pending={opened.isLoading} />
					))}
			</PageFrame>
		);
	const { methods, application, interaction } = opened.data;
	const { sign_in_text = "" } = brand.value;
	const lead = (application || sign_in_text !== "") && (
		<>
			{application && (
				<ApplicationLead logoUrl={application.logo_url}>{t.toApplication(application.name)}</ApplicationLead>
			)}
			<bdi>{sign_in_text}</bdi>
		</>
	);
	const frame = { title: t.signIn, lead: lead || undefined };
	if (offer !== undefined) return <offer.Offer Frame={PageFrame} onDone={() => setOffer(undefined)} />;
	if (isSignedIn && !isAgain)
		return (
			<Leave
				visit={visit}
				application={application}
				choosesAccount={interaction?.select_account === true && !isNew}
				onSignInAgain={() => setAgain(true)}
				{...frame}
			/>
		);
	return (
		<SignInSteps
			Frame={PageFrame}
			methods={methods}
			lead={frame.lead}
			below={
				<>
					{methods.registration && (
						<>
							{t.noAccount} <Link href={`/sign-up${location.search}`}>{t.createAccount}</Link>
						</>
					)}
					{visit.interaction && application && (
						<BackToApplication interaction={visit.interaction} label={t.backTo(application.name)} />
					)}
				</>
			}
			knownUsername={session.value.user?.username ?? interaction?.login_hint}
			begin={returned && (() => finishAtProvider(returned))}
			onTokens={async (tokens, password) => {
				setNew(true);
				if (isAgain) await (await loadLaterSteps()).replaceSession(tokens);
				else {
					if (password !== undefined && methods.passkeys) {
						// The sign-in continues without an offer that could not be loaded.
						const Offer = await passkeyOffer(tokens, password).catch(reportError);
						if (Offer) setOffer({ Offer });
					}
					startSession(tokens);
				}
				setAgain(false);
			}}
		/>
	);
}

/**
 * Undefined if the browser tries to create a passkey without a question, if the device cannot verify its user, or if the user
 * declined in this browser or has a passkey.
 */
async function passkeyOffer(
	tokens: Tokens,
	password: string,
): Promise<ComponentType<PasskeyOfferProps> | undefined> {
	if (!hasPasskeys() || readStored(declinedKey(tokens.user.id)) !== null) return undefined;
	const tried = triedKey(tokens.user.id);
	if (readStored(tried) === null && (await createsAutomatically())) {
		writeStored(tried, "1");
		await (await loadLaterSteps()).createAutomatically(tokens, password, visit);
		return undefined;
	}
	if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return undefined;
	return await (await loadLaterSteps()).offerFor(tokens, password);
}
