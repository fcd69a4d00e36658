// The user is signed in but cannot access the application, or not with this session.

import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { session, signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import type { FormError } from "../ui/form.tsx";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { BackToApplication } from "./back-to-application.tsx";
import { dueStep } from "./due-step.tsx";
import { type FrameProps, PageFrame } from "./frame.tsx";
import { replaceSession } from "./replace-session.ts";
import { useShownError } from "./shown-error.ts";
import { SignedInAs } from "./signed-in-as.tsx";
import type { StepProps } from "./step.ts";
import { freshCall, type Outcome } from "./visitor-call.ts";

interface RefusedEntryProps {
	readonly frame: Omit<FrameProps, "children">;
	readonly error: FormError;
	readonly application: { readonly id: string; readonly name: string };
	/** If the application uses OpenID Connect. */
	readonly interaction: string | undefined;
	/** Tries again. */
	readonly onRetry: () => unknown;
}

export function RefusedEntry({ frame, error, application, interaction, onRetry }: RefusedEntryProps) {
	const t = useWords("sign-in-steps");
	const { backTo } = useWords("sign-in");
	if (error.code === "mfa.required")
		return (
			<StepUp
				frame={frame}
				reason={error.message}
				destination={interaction === undefined ? { app_id: application.id } : { interaction_id: interaction }}
				onRetry={onRetry}
			/>
		);
	if (error.code === "interaction.not_found")
		return (
			<PageFrame {...frame}>
				<Notice tone="danger">{error.message}</Notice>
			</PageFrame>
		);
	return (
		<PageFrame {...frame}>
			<Notice
				tone="warning"
				action={
					mayGiveAccess(error) && (
						<Link href={`/console/applications/${application.id}#connect`} variant="secondary">
							{t.toConsole}
						</Link>
					)
				}
			>
				{error.code === "application.access_denied" ? t.noAccess(application.name) : error.message}
			</Notice>
			<SignInAgain label={t.otherAccount} />
			{interaction !== undefined && (
				<BackToApplication interaction={interaction} label={backTo(application.name)} />
			)}
		</PageFrame>
	);
}

function mayGiveAccess({ code }: FormError): boolean {
	const { roles } = session.value;
	return code === "application.access_denied" && roles.some((role) => /^(?:platform_)?admin$/.test(role));
}

interface StepUpProps {
	readonly frame: Omit<FrameProps, "children">;
	/** Why access to the application was refused; default: it needs a second factor. */
	readonly reason?: string;
	/** What needs the factor. */
	readonly destination: { readonly app_id: string } | { readonly interaction_id: string };
	/** Tries again. */
	readonly onRetry: () => unknown;
}

/** Adds a second factor that an application requires, with the later steps of a sign-in. */
export function StepUp({ frame, reason, destination, onRetry }: StepUpProps) {
	const t = useWords("sign-in-steps");
	const [due, setDue] = useState<{ readonly Step: ComponentType<StepProps> }>();
	const begin = useAction(async () => {
		const { data } = await freshCall("POST /auth/mfa/step-up", destination);
		setDue({ Step: dueStep(data) });
	});
	useEffect(() => {
		begin.run().catch(reportError);
	}, []);
	const error = useShownError(begin.error);
	const enter = async (outcome: Outcome) => {
		if ("mfa_required" in outcome) throw new TypeError("a second factor is required after it was verified");
		await replaceSession(outcome);
		await onRetry();
	};
	if (due !== undefined) {
		const username = session.value.user?.username ?? "";
		return <due.Step Frame={PageFrame} username={username} onOutcome={enter} onRestart={signOutHere} />;
	}
	return (
		<PageFrame {...frame}>
			{error === undefined && <Skeleton lines={6} />}
			{error !== undefined && begin.error?.status !== 400 && <LoadError error={error} onRetry={onRetry} />}
			{/* The sign-in is too long ago to add a factor to it. */}
			{begin.error?.status === 400 && (
				<>
					<Notice tone="warning">{reason ?? t.factorNeeded}</Notice>
					<SignInAgain label={t.signInAgain} />
				</>
			)}
		</PageFrame>
	);
}

interface SignInAgainProps {
	readonly label: string;
	/** A button that is preferred. */
	readonly first?: ComponentChildren;
}

/** Signs out, then restarts the same sign-in. */
export function SignInAgain({ label, first }: SignInAgainProps) {
	const again = useAction(signOutHere);
	return (
		<>
			<p class="lk-muted">
				<SignedInAs />
			</p>
			{first}
			<Button
				variant={first === undefined ? "primary" : "secondary"}
				wide
				pending={again.isPending}
				onClick={again.run}
			>
				{label}
			</Button>
		</>
	);
}

function signOutHere(): Promise<void> {
	return signOut(`${location.pathname}${location.search}`);
}
