// The end of a sign-in: continues to the application by OpenID Connect, or to a page of the service.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import { session } from "../api/session.ts";
import { LoadError } from "../ui/load-error.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { firstPage, ownPage } from "./destination.ts";
import { PageFrame } from "./frame.tsx";
import { completeInteraction } from "./interaction.ts";
import { loadLaterSteps } from "./load-later-steps.ts";
import { useShownError } from "./shown-error.ts";
import type { Visit } from "./visit.ts";

type LaterSteps = Awaited<ReturnType<typeof loadLaterSteps>>;

interface LeaveProps {
	readonly visit: Visit;
	readonly title: string;
	readonly lead?: ComponentChildren;
	/** The application of the interaction. */
	readonly application: { readonly id: string; readonly name: string } | undefined;
	/** The application requires that the user chooses an account, and the user has not signed in for it. */
	readonly choosesAccount: boolean;
	/** The application requires a newer sign-in than this session's. */
	readonly onSignInAgain: () => void;
}

/** Shows only errors, because the browser is navigating. */
export function Leave({ visit, application, choosesAccount, onSignInAgain, ...frame }: LeaveProps) {
	const [isChosen, setChosen] = useState(!choosesAccount);
	const [chooser, setChooser] = useState<LaterSteps>();
	const [refused, setRefused] = useState<LaterSteps>();
	const [stepUp, setStepUp] = useState<LaterSteps>();
	const explain = async (error: unknown): Promise<never> => {
		if (error instanceof ApiError && error.code === "interaction.sign_in_again") onSignInAgain();
		else if (error instanceof ApiError && [403, 404].includes(error.status))
			setRefused(await loadLaterSteps());
		throw error;
	};
	const go = async () => location.replace(await nextAddress(visit).catch(explain));
	const leave = useAction(async () => {
		if (!isChosen) setChooser(await loadLaterSteps());
		else if (visit.factorFor === undefined) await go();
		else setStepUp(await loadLaterSteps());
	});
	const error = useShownError(leave.error);
	useEffect(() => {
		leave.run().catch(reportError);
	}, [isChosen]);
	if (!isChosen && chooser && application && visit.interaction !== undefined) {
		const choice = { frame, application, interaction: visit.interaction };
		return <chooser.ChooseAccount {...choice} onContinue={() => setChosen(true)} />;
	}
	if (stepUp !== undefined && visit.factorFor !== undefined)
		return <stepUp.StepUp frame={frame} destination={{ app_id: visit.factorFor }} onRetry={go} />;
	if (error !== undefined && refused !== undefined && application !== undefined) {
		const entry = { frame, error, application, interaction: visit.interaction, onRetry: leave.run };
		return <refused.RefusedEntry {...entry} />;
	}
	return (
		<PageFrame {...frame}>
			{error === undefined ? (
				<Skeleton lines={6} />
			) : (
				<LoadError error={error} onRetry={leave.run} pending={leave.isPending} />
			)}
		</PageFrame>
	);
}

async function nextAddress({ interaction, returnTo }: Visit): Promise<string> {
	if (interaction !== undefined) return await completeInteraction(interaction, "continue");
	return ownPage(returnTo, location.origin) ?? firstPage(session.value.roles);
}
