// URIs that the service redirects to, one per row, validated while the user types.

import { RowsField } from "../../ui/rows-field.tsx";
import { useWords } from "../../words/words.ts";
import { addressProblem } from "./line-problems.ts";

export function AddressesField(props: Omit<Parameters<typeof RowsField>[0], "problemOf">) {
	const { lineProblems } = useWords("console-access").applications;
	return (
		<RowsField
			{...props}
			placeholder="https://app.example.com/callback"
			problemOf={(entry, above) =>
				above.includes(entry) ? lineProblems.repeated : addressProblem(entry, lineProblems)
			}
		/>
	);
}
