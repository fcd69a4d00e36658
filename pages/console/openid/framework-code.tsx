// The guide's code for the developer's framework, with the application's values filled in.

import { useState } from "preact/hooks";
import files from "../../../docs/protect-your-application.md";
import { runCommand } from "../../run-command.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ISSUER, OPENID_FILE } from "./environment-file.ts";
import { fillIn, localAddress, portOf, servedAddresses } from "./fill-in.ts";
import { FRAMEWORKS, type Framework } from "./frameworks.ts";

const GUIDE = "/docs/protect-your-application";

export interface FrameworkCodeProps {
	readonly clientId: string;
	/** Chosen when the application was connected. */
	readonly initial: Framework | undefined;
	readonly addresses: readonly string[];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
}

export function FrameworkCode({
	clientId,
	initial = FRAMEWORKS[0],
	addresses,
	onSettings,
}: FrameworkCodeProps) {
	const t = useWords("console-access").openid;
	const [key, setKey] = useState<string>(initial.key);
	const [address, setAddress] = useState("");
	const framework: Framework = FRAMEWORKS.find((one) => one.key === key) ?? FRAMEWORKS[0];
	const served = servedAddresses(framework, addresses);
	const registered = served.includes(address) ? address : served[0];
	const redirectUri = registered ?? localAddress(framework);
	return (
		<div class="lk-stack">
			<Select
				name="framework"
				label={t.framework}
				value={framework.key}
				onValue={setKey}
				options={FRAMEWORKS.map((one) => ({ value: one.key, label: one.label }))}
			/>
			{served.length > 1 && (
				<Select
					name="redirect_uri"
					label={t.redirectAddress}
					value={redirectUri}
					onValue={setAddress}
					options={served.map((one) => ({ value: one, label: one }))}
				/>
			)}
			{registered === undefined && (
				<Notice
					tone="warning"
					title={t.registerTitle}
					action={isAdmin() && <Button onClick={onSettings}>{t.toSettings}</Button>}
				>
					<CopyField label={t.redirectAddress} value={redirectUri} hideLabel />
				</Notice>
			)}
			<SampleCode framework={framework} connection={{ issuer: ISSUER, clientId, redirectUri }} />
			<p class="lk-muted">
				{t.guideText} <Link href={`${GUIDE}#${framework.anchor}`}>{t.guide(framework.label)}</Link>
			</p>
		</div>
	);
}

interface SampleCodeProps {
	readonly framework: Framework;
	readonly connection: Parameters<typeof fillIn>[1];
}

function SampleCode({ framework, connection }: SampleCodeProps) {
	const t = useWords("console-access").openid;
	const { label, install, run, cookieSecret } = framework;
	return (
		<>
			{install !== undefined && <CopyField label={t.install} value={install} />}
			{framework.files.map((file) => (
				<CodeBlock
					key={file}
					label={t.codeFor(label)}
					snippets={[{ key: file, label: file, code: codeOf(file, connection) }]}
				/>
			))}
			{cookieSecret !== undefined && (
				<CopyField
					label={t.cookieSecret(OPENID_FILE)}
					value={`echo "${cookieSecret}=$(openssl rand -hex 32)" >> ${OPENID_FILE}`}
				/>
			)}
			{run !== undefined && (
				<CopyField
					label={t.run(OPENID_FILE)}
					value={runCommand(OPENID_FILE, run(portOf(connection.redirectUri)))}
				/>
			)}
		</>
	);
}

function codeOf(file: string, connection: SampleCodeProps["connection"]): string {
	const code = files[file];
	if (code === undefined) throw new Error(`docs/protect-your-application.md holds no ${file}`);
	return fillIn(code, connection);
}
