// Who can use an application: everyone, or users with a grant.

import type { Schemas } from "../../api/routes.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { useWords } from "../../words/words.ts";

export type Policy = Schemas["Application"]["access_policy"];

interface PolicyFieldProps {
	readonly value: Policy;
	readonly onValue: (value: Policy) => void;
}

export function PolicyField({ value, onValue }: PolicyFieldProps) {
	const t = useWords("console-access").applications;
	return (
		<RadioGroup
			name="access_policy"
			label={t.whoMayUse}
			value={value}
			onValue={onValue}
			options={[
				{ value: "assigned", label: t.policies.assigned, hint: t.policyHints.assigned },
				{ value: "open", label: t.policies.open, hint: t.policyHints.open },
			]}
		/>
	);
}
