// A first signed call in the partner's language, with the package first. The credentials stay in the saved file.

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

/** In the guide. */
const EXAMPLE_ORIGIN = "https://auth.example.com";

interface SignedCallCodeProps {
	readonly title: string;
	readonly text: string;
}

export function SignedCallCode({ title, text }: SignedCallCodeProps) {
	const t = useWords("claim");
	const [first, ...others] = LANGUAGES.flatMap(({ key, label }) => {
		const { code, install } = snippets[key] ?? {};
		if (code === undefined) return [];
		return [{ key, label: install === undefined ? t.withoutPackage(label) : label, code }];
	});
	const [selected, setSelected] = useState(first?.key ?? "");
	if (first === undefined) throw new Error("docs/signing.md holds no code");
	const language = LANGUAGES.find(({ key }) => key === selected);
	const install = snippets[selected]?.install?.replaceAll(EXAMPLE_ORIGIN, location.origin);
	return (
		<Card title={title} description={text}>
			{install !== undefined && (
				<CodeBlock label={t.install} snippets={[{ key: "install", label: t.install, code: install }]} />
			)}
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
