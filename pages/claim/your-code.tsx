// The same call in the partner's language.

import { useState } from "preact/hooks";
import snippets from "../../docs/signing.md";
import { runCommand } from "../run-command.ts";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import { ENVIRONMENT_FILE } from "./environment-file.ts";
import { LANGUAGES } from "./languages.ts";

const CHOICES = LANGUAGES.flatMap(({ key, label }) => {
	const code = snippets[key];
	return code === undefined ? [] : [{ key, label, code }];
});

export function YourCode() {
	const t = useWords("claim");
	const [first, ...others] = CHOICES;
	const [selected, setSelected] = useState(first?.key ?? "");
	if (first === undefined) throw new Error("docs/signing.md holds no code");
	const language = LANGUAGES.find(({ key }) => key === selected);
	return (
		<Card title={t.codeTitle} description={t.codeText}>
			<CodeBlock
				label={t.codeLabel}
				snippets={[first, ...others]}
				selected={selected}
				onSelect={setSelected}
			/>
			<CopyField
				label={language?.file === undefined ? t.paste : t.saveAndRun(language.file)}
				value={runCommand(ENVIRONMENT_FILE, language?.run)}
			/>
			<p class="lk-muted">
				{t.more} <Link href="/docs/signing">{t.guide}</Link>
			</p>
		</Card>
	);
}
