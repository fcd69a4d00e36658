// The credentials, shown once: save them, try them, use them.

import { useEffect, useState } from "preact/hooks";
import snippets from "../../docs/signing.md";
import { runCommand } from "../run-command.ts";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { type Description, DescriptionList } from "../ui/description-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { info, success } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { SecretBox } from "../ui/secret-box.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { CheckString } from "./check-string.tsx";
import { ENVIRONMENT_FILE, environmentFile } from "./environment-file.ts";
import type { ClaimedClient } from "./first-call.tsx";
import { FirstCall } from "./first-call.tsx";
import { LANGUAGES } from "./languages.ts";

export function Credentials({ client }: { client: ClaimedClient }) {
	const t = useWords("claim");
	const [isKept, setKept] = useState(false);
	useLeaveWarning(!isKept);
	return (
		<>
			<Card title={t.keepTitle} description={t.keepText}>
				<SecretBox
					warning={t.onlyTime}
					secrets={[
						{ label: t.baseUrl, value: location.origin },
						{ label: t.tenantId, value: client.tenant_id },
						{ label: t.appId, value: client.app_id },
						{ label: t.apiKey, value: client.api_key },
						{ label: t.secret, value: client.secret },
					]}
					file={{ name: ENVIRONMENT_FILE, content: environmentFile(location.origin, client) }}
					onCopied={(label) => setKept(isKept || label === t.secret)}
					onSaved={() => setKept(true)}
				/>
				<p class={isKept ? "claim-kept claim-kept--done" : "claim-kept"} role="status">
					<Icon shape={isKept ? success : info} />
					{isKept ? t.kept : t.notKept}
				</p>
				<DescriptionList items={useLimits(client)} />
			</Card>
			{client.mode === "test" && <MadeUpPeople />}
			<FirstCall client={client} />
			<YourCode />
			<CheckString client={client} />
		</>
	);
}

/** What the reviewer decided, or what applies to every test client. */
function useLimits({ ip_allowlist, expires_at, scopes, mode }: ClaimedClient): Description[] {
	const t = useWords("claim");
	return [
		{
			term: t.scopes,
			value: scopes.length === 0 ? t.noScopes : <code dir="ltr">{scopes.join(", ")}</code>,
		},
		{
			term: t.allowlist,
			value: ip_allowlist.length === 0 ? t.anyAddress : <code dir="ltr">{ip_allowlist.join(", ")}</code>,
		},
		{
			term: t.expires,
			value:
				expires_at === null ? (
					mode === "test" ? (
						t.test.until
					) : (
						t.never
					)
				) : (
					<Time at={expires_at} format="datetime" />
				),
		},
	];
}

const PEOPLE = ["allowed", "denied", "disabled"] as const;

/** Whom a test client sees. */
function MadeUpPeople() {
	const t = useWords("claim").test;
	return (
		<Card title={t.peopleTitle} description={t.people}>
			{PEOPLE.map((name, index) => (
				<CopyField
					key={name}
					label={t.person[name]}
					value={`00000000-0000-7000-8000-00000000000${index + 1}`}
				/>
			))}
		</Card>
	);
}

/** Makes the browser warn before leaving while something would be lost. */
function useLeaveWarning(isActive: boolean): void {
	useEffect(() => {
		if (!isActive) return;
		const holdBack = (event: Event) => event.preventDefault();
		addEventListener("beforeunload", holdBack);
		return () => removeEventListener("beforeunload", holdBack);
	}, [isActive]);
}

/** In the guide. */
const EXAMPLE_ORIGIN = "https://auth.example.com";

/** The same call in the partner's language. */
function YourCode() {
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
		<Card title={t.codeTitle} description={t.codeText}>
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
