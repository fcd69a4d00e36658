// Props of the sign-in steps.

import type { ComponentType } from "preact";
import type { FrameProps } from "./frame.tsx";
import type { Outcome, SecondFactorDue, Tokens } from "./visitor-call.ts";

/** Props of every later step. */
export interface StepProps {
	readonly Frame: ComponentType<FrameProps>;
	/** As typed; each form includes it for password managers. */
	readonly username: string;
	/** Continues with the response to a factor. @param password if the factor is a password. */
	readonly onOutcome: (outcome: Outcome, password?: string) => Promise<void>;
	/** Back to the first step. */
	readonly onRestart: () => void;
}

export interface DueStepProps extends StepProps {
	readonly due: SecondFactorDue;
}

/** Confirming a new factor signs the user in. */
export interface Enrolled extends Tokens {
	readonly recovery_codes: readonly string[];
}

export interface EnrolProps {
	readonly username: string;
	readonly mfaToken: string;
	readonly onEnrolled: (enrolled: Enrolled) => void;
}

/** Props of the offer of a passkey after a sign-in. */
export interface PasskeyOfferProps extends Pick<StepProps, "Frame"> {
	/** Continues the sign-in. */
	readonly onDone: () => void;
}
