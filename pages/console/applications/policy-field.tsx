// Who can use an application: everyone, or users with a grant.

import type { Schemas } from "../../api/routes.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { optionsOf } from "../../ui/options.ts";
import { useWords } from "../../words/words.ts";

export type Policy = Schemas["Application"]["access_policy"];

const POLICIES = ["assigned", "open"] as const;

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
			options={optionsOf(POLICIES, t.policies, t.policyHints)}
		/>
	);
}
