// "Connect": what a developer needs to sign people in to an application, and to verify who they are.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { namedSlug, useTenant } from "../../api/tenant.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { OpenIdCard } from "../openid/openid-card.tsx";
import { isAdmin } from "../roles.ts";
import "./connect-application.css";
import { type Connection, curlCommand, nodeProgram, pythonProgram, signInAddress } from "./snippets.ts";

interface ConnectApplicationProps {
	readonly application: Schemas["Application"];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
	readonly onChanged: () => void;
}

export function ConnectApplication({ application, onSettings, onChanged }: ConnectApplicationProps) {
	const t = useWords("console-access").applications;
	const { id, tenant_id, redirect_uris } = application;
	const [redirectUri = ""] = redirect_uris;
	const { data, error, isLoading, reload } = useTenant(tenant_id);
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={8} />;
	const service = location.origin;
	const tenant = namedSlug(data);
	return (
		<div class="lk-stack">
			<OpenIdCard application={application} onSettings={onSettings} onChanged={onChanged}>
				<Card title={t.identifiers} description={t.identifiersText}>
					<div class="lk-stack">
						<CopyField label={t.id} value={id} />
						<CopyField label={t.serviceAddress} value={service} />
						<CopyField label={t.keysAddress} value={`${service}/.well-known/jwks.json`} />
					</div>
				</Card>
				<Card title={t.signPeopleIn} description={t.signPeopleInText}>
					{redirect_uris.length === 0 ? (
						<Notice
							tone="warning"
							title={t.noAddresses}
							action={isAdmin() && <Button onClick={onSettings}>{t.toSettings}</Button>}
						>
							{t.noAddressesText}
						</Notice>
					) : (
						<SampleCode connection={{ service, appId: id, redirectUri, tenant }} addresses={redirect_uris} />
					)}
				</Card>
			</OpenIdCard>
			<Card title={t.callTheApi} description={t.callTheApiText}>
				<div class="lk-row">
					<Link href={`/console/clients?app_id=${id}`} variant="secondary">
						{t.clientsOfIt}
					</Link>
					<Link href={`/console/applications/${id}#gate`} variant="secondary">
						{t.gateOfIt}
					</Link>
					<Link href="/docs" variant="quiet" external>
						{t.apiDocumentation}
					</Link>
				</div>
			</Card>
		</div>
	);
}

interface SampleCodeProps {
	readonly connection: Connection;
	readonly addresses: readonly string[];
}

function SampleCode({ connection, addresses }: SampleCodeProps) {
	const t = useWords("console-access").applications;
	const [redirectUri, setRedirectUri] = useState(connection.redirectUri);
	const chosen = { ...connection, redirectUri };
	return (
		<div class="lk-stack">
			<ol class="lk-connect__steps">
				{t.steps.map((step) => (
					<li key={step}>{step}</li>
				))}
			</ol>
			{addresses.length > 1 && (
				<Select
					name="redirect_uri"
					label={t.returnTo}
					value={redirectUri}
					onValue={setRedirectUri}
					options={addresses.map((address) => ({ value: address, label: address }))}
				/>
			)}
			<CodeBlock
				label={t.programIn}
				snippets={[
					{ key: "node", label: "Node.js", code: nodeProgram(chosen) },
					{ key: "python", label: "Python", code: pythonProgram(chosen) },
					{ key: "curl", label: "curl", code: curlCommand(chosen) },
				]}
			/>
			<CopyField label={t.tryAddress} value={signInAddress(chosen)} />
			<p class="lk-muted">{t.tokensText}</p>
		</div>
	);
}
