// A list with one entry per row, with the console's words for its rows.

import { RowsField, type RowsFieldProps } from "../../ui/rows-field.tsx";
import { useWords } from "../../words/words.ts";

export function ListField(props: Omit<RowsFieldProps, "rowLabel" | "removeLabel">) {
	const t = useWords("console").rows;
	return <RowsField {...props} rowLabel={(row) => t.row(props.label, row)} removeLabel={t.remove} />;
}
