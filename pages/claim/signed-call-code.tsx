// A first signed call in the partner's language, with the package first. The credentials stay in the saved file.

import { useEffect, useState } from "preact/hooks";
import secretPrograms from "../../docs/signing.md";
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
	/** The client signs with a key. */
	readonly hasKey: boolean;
}

export function SignedCallCode(props: SignedCallCodeProps) {
	const t = useWords("claim");
	const [programs, setPrograms] = useState(props.hasKey ? undefined : secretPrograms);
	useEffect(() => {
		if (programs !== undefined) return;
		// Loaded when it is needed, as most clients have a Secret. Without it, the link to the guide remains.
		const loading = import("../../docs/signing.md?key");
		void loading.then((module) => setPrograms(module.default)).catch(() => undefined);
	}, []);
	if (programs !== undefined) return <Code {...props} programs={programs} />;
	return (
		<Card title={props.title}>
			<p class="lk-muted">
				{t.more} <Link href="/docs/signing#sign-with-a-key">{t.guide}</Link>
			</p>
		</Card>
	);
}

function Code(props: SignedCallCodeProps & { readonly programs: typeof secretPrograms }) {
	const { title, text, file, hasKey, programs } = props;
	const t = useWords("claim");
	const [first, ...others] = LANGUAGES.flatMap(({ key, label }) => {
		const { code, install } = programs[key] ?? {};
		if (code === undefined) return [];
		return [{ key, label: install === undefined ? t.withoutPackage(label) : label, code }];
	});
	const [selected, setSelected] = useState(first?.key ?? "");
	if (first === undefined) throw new Error("docs/signing.md holds no code");
	const language = LANGUAGES.find(({ key }) => key === selected);
	const install = programs[selected]?.install?.replaceAll(EXAMPLE_ORIGIN, location.origin);
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
				{t.more} <Link href={hasKey ? "/docs/signing#sign-with-a-key" : "/docs/signing"}>{t.guide}</Link>
				{" · "}
				<Link href="/docs/signing#trust-a-self-signed-certificate">{t.certificate}</Link>
			</p>
		</Card>
	);
}
