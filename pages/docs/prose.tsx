// Renders the API's text: paragraphs, paths and methods.

import "./method.css";

/** Sets `names` as code. */
export function Inline({ text }: { readonly text: string }) {
	return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

export function Paragraphs({ text }: { readonly text: string }) {
	const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== "");
	return (
		<>
			{parts.map((part) => (
				<p key={part}>
					<Inline text={part} />
				</p>
			))}
		</>
	);
}

/** A path that may wrap after each slash. */
export function Path({ path }: { readonly path: string }) {
	return (
		<code class="docs-path" dir="ltr">
			{path.split(/(?<=\/)/).map((piece, index) => (
				<>
					{index > 0 && <wbr />}
					{piece}
				</>
			))}
		</code>
	);
}

/** The method of an endpoint, in its color. */
export function Method({ method }: { readonly method: string }) {
	return <span class={`docs-method docs-method--${method.toLowerCase()}`}>{method}</span>;
}
