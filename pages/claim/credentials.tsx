// The credentials, shown once: save them, try them, use them.

import { useEffect, useState } from "preact/hooks";
import { Card } from "../ui/card.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { type Description, DescriptionList } from "../ui/description-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { info, success } from "../ui/icons.ts";
import { Notice } from "../ui/notice.tsx";
import { SecretBox } from "../ui/secret-box.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { CheckString } from "./check-string.tsx";
import { environmentFile, environmentFileName } from "./environment-file.ts";
import type { ClaimedClient } from "./first-call.tsx";
import { FirstCall } from "./first-call.tsx";
import { SignedCallCode } from "./signed-call-code.tsx";

export function Credentials({ client }: { client: ClaimedClient }) {
	const t = useWords("claim");
	const [isKept, setKept] = useState(false);
	useLeaveWarning(!isKept);
	const file = environmentFileName(client.mode);
	const key = client.public_keys.find(({ key_id }) => key_id === client.key_id);
	// With a key, the response contains nothing secret, but only the administrators could show it again.
	const last =
		client.secret === undefined
			? { label: t.apiKey, value: client.api_key }
			: { label: t.secret, value: client.secret };
	return (
		<>
			{key !== undefined && <ClaimedKey keyId={key.key_id} isLive={key.live} />}
			<Card title={t.keepTitle} description={key === undefined ? t.keepText : t.keys.keepText}>
				<SecretBox
					warning={key === undefined ? t.onlyTime : t.keys.onlyFile}
					secrets={[
						{ label: t.baseUrl, value: location.origin },
						{ label: t.tenantId, value: client.tenant_id },
						{ label: t.appId, value: client.app_id },
						...(client.secret === undefined ? [] : [{ label: t.apiKey, value: client.api_key }]),
						last,
					]}
					file={{ name: file, content: environmentFile(location.origin, client) }}
					onCopied={(label) => setKept(isKept || label === last.label)}
					onSaved={() => setKept(true)}
				/>
				<p class={isKept ? "claim-kept claim-kept--done" : "claim-kept"} role="status">
					<Icon shape={isKept ? success : info} />
					{key === undefined ? (isKept ? t.kept : t.notKept) : isKept ? t.keys.done : t.keys.notDone}
				</p>
				<DescriptionList items={useLimits(client)} />
			</Card>
			{client.mode === "test" && <MadeUpPeople />}
			<FirstCall client={client} />
			<SignedCallCode title={t.codeTitle} text={t.codeText} file={file} hasKey={key !== undefined} />
			<CheckString client={client} />
		</>
	);
}

/** By its fingerprint, which the reviewer compares. */
function ClaimedKey({ keyId, isLive }: { readonly keyId: string; readonly isLive: boolean }) {
	const t = useWords("claim").keys;
	return (
		<Card title={t.title} description={t.fingerprintText}>
			<CopyField label={t.fingerprint} value={keyId} />
			{!isLive && (
				<Notice tone="warning" title={t.held}>
					{t.heldText}
				</Notice>
			)}
		</Card>
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

const idOf = (index: number): string => `00000000-0000-7000-8000-00000000000${index + 1}`;

/** Whom a test client sees. */
function MadeUpPeople() {
	const t = useWords("claim").test;
	return (
		<Card title={t.peopleTitle} description={t.people}>
			{PEOPLE.map((name, index) => (
				<CopyField key={name} label={t.person[name]} value={idOf(index)} />
			))}
			<CopyField label={t.ask} value={`checkAccess({ user_id: "${idOf(0)}", permission: "orders:read" })`} />
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
