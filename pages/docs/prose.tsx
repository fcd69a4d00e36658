// Renders the API's text: paragraphs, paths and methods.

import { useWords } from "../words/words.ts";
import { type GuideName, guidePath, isTranslated } from "./guides.ts";
import "./method.css";
import "../ui/tone.css";

/** A link to a guide; says if the guide is in another language than the pages. */
export function GuideLink({ name, class: className }: { readonly name: GuideName; readonly class: string }) {
	const t = useWords("docs");
	const isForeign = !isTranslated(name);
	return (
		<a class={className} href={guidePath(name)} hreflang={isForeign ? "en" : undefined}>
			{t.guideTitles[name]}
			{isForeign && <span class="docs-note"> {t.englishGuide}</span>}
		</a>
	);
}

/** Says that the descriptions are in another language than the pages. */
export function ForeignNote() {
	const { englishOnly } = useWords("docs");
	return englishOnly === "" ? null : <p class="docs-note">{englishOnly}</p>;
}

/** Text of the API, which is English. Sets `names` as code. */
export function Inline({ text }: { readonly text: string }) {
	const parts = text.split("`");
	return <span lang="en">{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</span>;
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

const TONES: Readonly<Record<string, string>> = {
	GET: "success",
	PUT: "warning",
	PATCH: "warning",
	DELETE: "danger",
};

/** The method of an endpoint, in its color. */
export function Method({ method }: { readonly method: string }) {
	return <span class={`docs-method lk-tone--${TONES[method] ?? "info"}`}>{method}</span>;
}
