// `/sign-up`: creates an account with a mailed code, then signs the user in.

import { useState } from "preact/hooks";
import { useQuery } from "../api/query.ts";
import { restoreSession, session, startSession } from "../api/session.ts";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { loadWords, useWords } from "../words/words.ts";
import { ApplicationLead } from "./application-lead.tsx";
import { PageFrame } from "./frame.tsx";
import { Leave } from "./leave.tsx";
import { openVisit } from "./open-visit.ts";
import type { Registered } from "./registration-form.tsx";
import { useShownError } from "./shown-error.ts";
import type { SignInSteps } from "./sign-in-steps.tsx";
import { SignUpSteps } from "./sign-up-steps.tsx";
import { readVisit } from "./visit.ts";
import { visitorCall } from "./visitor-call.ts";

const visit = readVisit(location.search);
const restored = restoreSession().catch(() => undefined);

async function loadVisit() {
	const opened = await openVisit(visit);
	await restored;
	return opened;
}

export function SignUpPage() {
	const t = useWords("sign-up");
	const opened = useQuery("visit", loadVisit);
	const error = useShownError(opened.error);
	const [entry, setEntry] = useState<{ registered: Registered; Steps: typeof SignInSteps }>();
	const toSignIn = `/sign-in${location.search}`;
	const below = (
		<>
			{t.haveAccount} <Link href={toSignIn}>{useWords("ui").signIn}</Link>
		</>
	);
	if (session.value.state === "signed-in" && error === undefined)
		return (
			<Leave
				visit={visit}
				title={t.title}
				application={opened.data?.application}
				choosesAccount={false}
				onSignInAgain={() => location.replace(toSignIn)}
			/>
		);
	if (opened.data === undefined)
		return (
			<PageFrame title={t.title}>
				{error === undefined ? (
					<Skeleton lines={6} />
				) : (
					<LoadError error={error} onRetry={opened.reload} pending={opened.isLoading} />
				)}
			</PageFrame>
		);
	const { methods, application } = opened.data;
	const lead = application && (
		<ApplicationLead logoUrl={application.logo_url}>{t.forApplication(application.name)}</ApplicationLead>
	);
	if (entry !== undefined)
		return (
			<entry.Steps
				Frame={PageFrame}
				methods={methods}
				lead={lead}
				begin={async () => (await visitorCall("POST /auth/login", entry.registered)).data}
				onTokens={startSession}
			/>
		);
	if (!methods.registration)
		return (
			<PageFrame title={t.title} below={below}>
				<Notice>{t.closed}</Notice>
			</PageFrame>
		);
	return (
		<SignUpSteps
			Frame={PageFrame}
			lead={lead}
			below={below}
			onRegistered={(registered) =>
				// Not in the first view, to keep it within its budget. The account exists, whether or not it loads.
				Promise.all([import("./sign-in-steps.tsx"), loadWords(["sign-in"])]).then(
					([{ SignInSteps }]) => setEntry({ registered, Steps: SignInSteps }),
					() => location.assign(toSignIn),
				)
			}
		/>
	);
}
