// A collapsed example of a body.

import { CodeBlock } from "../ui/code-block.tsx";
import { useWords } from "../words/words.ts";

export function Example({ label, value }: { readonly label: string; readonly value: unknown }) {
	const t = useWords("docs");
	return (
		<details class="docs-example">
			<summary>{t.example}</summary>
			<CodeBlock
				label={label}
				snippets={[{ key: "json", label: "JSON", code: JSON.stringify(value, null, 2) }]}
			/>
		</details>
	);
}
