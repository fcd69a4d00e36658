// A first signed call in the partner's language, with the package first. The credentials stay in the saved file.

import { useState } from "preact/hooks";
import snippets from "../../docs/signing.md";
import { runCommand } from "../run-command.ts";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import { LANGUAGES } from "./languages.ts";

/** In the guide. */
const EXAMPLE_ORIGIN = "https://auth.example.com";

interface SignedCallCodeProps {
	readonly title: string;
	readonly text: string;
	/** The name of the file with the credentials. */
	readonly file: string;
}

export function SignedCallCode({ title, text, file }: SignedCallCodeProps) {
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
				label={language?.file === undefined ? t.paste : t.saveAndRun(language.file, file)}
				value={runCommand(file, language?.run)}
			/>
			<p class="lk-muted">
				{t.more} <Link href="/docs/signing">{t.guide}</Link>
				{" · "}
				<Link href="/docs/signing#trust-a-self-signed-certificate">{t.certificate}</Link>
			</p>
		</Card>
	);
}
