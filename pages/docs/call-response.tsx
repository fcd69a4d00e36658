// The response to a call: status, time, headers, body.

import { useEffect, useRef } from "preact/hooks";
import { CodeBlock } from "../ui/code-block.tsx";
import { useWords } from "../words/words.ts";
import type { CallResponse } from "./send-call.ts";

export function CallResponseView({ response }: { readonly response: CallResponse }) {
	const t = useWords("docs");
	const element = useRef<HTMLDivElement>(null);
	useEffect(() => element.current?.scrollIntoView({ block: "nearest" }), [response]);
	const { status, tookMs, text, isCut, headers } = response;
	const isGood = status > 0 && status < 400;
	return (
		<div ref={element} class="lk-stack docs-try-answer">
			<p role="status" class="docs-answer-line">
				<strong>{t.response}</strong>
				<code class={isGood ? "docs-status docs-status--good" : "docs-status"}>
					{status === 0 ? t.redirected : status}
				</code>
				<span class="lk-muted">{t.took(tookMs)}</span>
			</p>
			{status === 0 ? (
				<p>{t.redirectedText}</p>
			) : text === "" ? (
				<p class="lk-muted">{t.noBody}</p>
			) : (
				<CodeBlock label={t.response} snippets={[{ key: "answer", label: typeOf(headers), code: text }]} />
			)}
			{isCut && <p class="lk-muted">{t.cutResponse}</p>}
			{headers.length > 0 && (
				<details class="docs-try-optional">
					<summary>{t.responseHeaders}</summary>
					<pre class="docs-try-headers" dir="ltr">
						{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
					</pre>
				</details>
			)}
		</div>
	);
}

function typeOf(headers: CallResponse["headers"]): string {
	const [, type = ""] = headers.find(([name]) => name === "content-type") ?? [];
	return type.split(";")[0] ?? "";
}
