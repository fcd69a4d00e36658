// What the steps of a sign-in are given.

import type { ComponentType } from "preact";
import type { FrameProps } from "./frame.tsx";
import type { Outcome, SecondFactorDue, Tokens } from "./visitor-call.ts";

/** What every later step gets. */
export interface StepProps {
	readonly Frame: ComponentType<FrameProps>;
	/** As it was typed; password managers find it in each form. */
	readonly username: string;
	/** Goes on with what a factor answered. */
	readonly onOutcome: (outcome: Outcome) => Promise<void>;
	/** Back to the first step. */
	readonly onRestart: () => void;
}

export interface DueStepProps extends StepProps {
	readonly due: SecondFactorDue;
}

/** The confirmation of a new factor signs in. */
export interface Enrolled extends Tokens {
	readonly recovery_codes: readonly string[];
}

export interface EnrolProps {
	readonly username: string;
	readonly mfaToken: string;
	readonly onEnrolled: (enrolled: Enrolled) => void;
}
