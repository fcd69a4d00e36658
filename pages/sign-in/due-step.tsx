// The step for a required second factor: its verification, or the enrollment of a first one.

import type { ComponentType } from "preact";
import { EnrolmentStep } from "./enrolment-step.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import type { StepProps } from "./step.ts";
import type { SecondFactorDue } from "./visitor-call.ts";

export function dueStep(due: SecondFactorDue): ComponentType<StepProps> {
	const Step = due.enrolment_required ? EnrolmentStep : SecondFactorStep;
	return (props) => <Step {...props} due={due} />;
}
