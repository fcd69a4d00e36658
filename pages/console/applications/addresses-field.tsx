// URIs that the service redirects to, one per row, validated while the user types.

import { useWords } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";
import { addressProblem } from "./line-problems.ts";

export function AddressesField(props: Omit<Parameters<typeof ListField>[0], "problemOf">) {
	const { lineProblems } = useWords("console-access").applications;
	return (
		<ListField
			{...props}
			placeholder="https://app.example.com/callback"
			problemOf={(entry, above) =>
				above.includes(entry) ? lineProblems.repeated : addressProblem(entry, lineProblems)
			}
		/>
	);
}
