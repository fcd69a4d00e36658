// A sign-in as a sequence of steps: first factor, second factor or its enrollment, forgotten password.

import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import type { FrameProps } from "./frame.tsx";
import { loadLaterSteps } from "./load-later-steps.ts";
import type { Methods } from "./open-visit.ts";
import { StartStep } from "./start-step.tsx";
import type { StepProps } from "./step.ts";
import type { Outcome, Tokens } from "./visitor-call.ts";

interface SignInStepsProps {
	readonly Frame: ComponentType<FrameProps>;
	/** Sign-in methods; passkeys and password if unknown. */
	readonly methods?: Methods | undefined;
	/** Of the first step. */
	readonly title?: string | undefined;
	readonly lead?: ComponentChildren;
	readonly below?: ComponentChildren;
	/** The session of this user ended; no other user can continue it. */
	readonly fixedUsername?: string | undefined;
	/** The expected user; other users can sign in too. */
	readonly knownUsername?: string | undefined;
	/** The outcome of a first factor that was verified elsewhere, for example at a provider. */
	readonly begin?: (() => Promise<Outcome>) | undefined;
	/**
	 * Rejects with an ApiError, which is shown, to stop the sign-in. `password` is what the user typed, unless the user
	 * signed in without it or has just enrolled a second factor.
	 */
	readonly onTokens: (tokens: Tokens, password?: string) => Promise<void> | void;
}

export function SignInSteps(props: SignInStepsProps) {
	const { Frame, methods, lead, below, fixedUsername, knownUsername = "", begin, onTokens } = props;
	const { title = useWords("sign-in").signIn } = props;
	const [later, setLater] = useState<{ readonly Step: ComponentType<StepProps> }>();
	const [isBegun, setBegun] = useState(begin === undefined);
	const [username, setUsername] = useState(fixedUsername ?? knownUsername);
	const typed = useRef<string>();
	const onOutcome = async (outcome: Outcome, password = typed.current) => {
		if (!("mfa_required" in outcome)) return await onTokens(outcome, password);
		typed.current = outcome.enrolment_required ? undefined : password;
		const { dueStep } = await loadLaterSteps();
		setLater({ Step: dueStep(outcome) });
	};
	const onForgotten = async () => setLater({ Step: (await loadLaterSteps()).ForgottenStep });
	const onMailedCode = async () => setLater({ Step: (await loadLaterSteps()).MailedCodeStep });
	const beginning = useAction(async () => begin !== undefined && onOutcome(await begin()));
	useEffect(() => {
		if (begin !== undefined) beginning.run().then(() => setBegun(true), reportError);
	}, []);
	const onRestart = () => {
		typed.current = undefined;
		setLater(undefined);
	};
	const common = { Frame, username, onOutcome, onRestart };
	if (later !== undefined) return <later.Step {...common} />;
	return (
		<Frame title={title} lead={lead} below={below}>
			{isBegun ? (
				<StartStep
					{...common}
					methods={methods}
					priorError={beginning.error}
					onUsername={setUsername}
					isUserFixed={fixedUsername !== undefined}
					onForgotten={onForgotten}
					onMailedCode={onMailedCode}
				/>
			) : (
				<Skeleton lines={8} />
			)}
		</Frame>
	);
}
