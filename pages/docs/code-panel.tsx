// Code for the call with the entered values, in the reader's preferred language.

import { signal } from "@preact/signals";
import { CodeBlock } from "../ui/code-block.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import type { Api, Operation } from "./api.ts";
import { callOf, type Values } from "./call.ts";
import { codeOf } from "./code.ts";
import { guidePath } from "./guides.ts";

/** For all endpoints, while the page is open. */
const chosen = signal<string | undefined>(undefined);

interface CodePanelProps {
	readonly api: Api;
	readonly operation: Operation;
	readonly values: Values;
}

export function CodePanel({ api, operation, values }: CodePanelProps) {
	const t = useWords("docs");
	const { schemes, successes } = operation;
	const security = securityOf(schemes);
	const call = callOf(api, operation, values, { isForCode: true });
	const snippets = codeOf(call, {
		baseUrl: api.baseUrl,
		security,
		hasResponse: successes.some(({ json }) => json !== undefined),
		signedNote: t.signedNote,
	});
	return (
		<section class="lk-stack docs-panel">
			<h2>{t.codeTitle}</h2>
			<CodeBlock
				label={t.codeLabel}
				snippets={snippets}
				selected={chosen.value}
				onSelect={(key) => {
					chosen.value = key;
				}}
			/>
			{security === "bearer" && <p class="lk-muted">{t.tokenNote}</p>}
			{security === "signed" && (
				<p>
					<Link href={guidePath("signing")}>{t.guideTitles.signing}</Link>
				</p>
			)}
		</section>
	);
}

export function securityOf(schemes: readonly string[]): "none" | "bearer" | "signed" {
	if (schemes.includes("signed")) return "signed";
	return schemes.includes("bearer") || schemes.includes("adminKey") ? "bearer" : "none";
}
