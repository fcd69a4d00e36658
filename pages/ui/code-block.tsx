// Code to copy, in one or several languages.

import { useState } from "preact/hooks";
import "./code-block.css";
import { CopyButton } from "./copy-button.tsx";
import { Select } from "./select.tsx";

export interface Snippet {
	readonly key: string;
	/** Such as "curl", "Node.js". */
	readonly label: string;
	readonly code: string;
}

interface CodeBlockProps {
	/** For screen readers: what the code does. */
	readonly label: string;
	readonly snippets: readonly [Snippet, ...Snippet[]];
	/** Stored by the caller, so that all blocks show the same language. */
	readonly selected?: string | undefined;
	readonly onSelect?: ((key: string) => void) | undefined;
}

/** Several languages are selected from a list; an unknown language falls back to the first. */
export function CodeBlock({ label, snippets, selected, onSelect }: CodeBlockProps) {
	const [own, setOwn] = useState<string>(snippets[0].key);
	const shown = snippets.find(({ key }) => key === (selected ?? own)) ?? snippets[0];
	return (
		<figure class="lk-code-block">
			<figcaption class="lk-code-block__head">
				<span class="lk-hidden">{label}</span>
				{snippets.length > 1 ? (
					<Select
						name="language"
						label={label}
						hideLabel
						value={shown.key}
						onValue={(key) => (onSelect ?? setOwn)(key)}
						options={snippets.map(({ key, label: name }) => ({ value: key, label: name }))}
					/>
				) : (
					<span class="lk-code-block__name">{shown.label}</span>
				)}
				<CopyButton text={shown.code} variant="quiet" />
			</figcaption>
			<pre
				class="lk-code-block__code"
				dir="ltr"
				// biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
				tabIndex={0}
			>
				<code>{shown.code}</code>
			</pre>
		</figure>
	);
}
