// "Connect": what a developer needs to sign people in to an application.

import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { useWords } from "../../words/words.ts";
import { OpenIdCard } from "../openid/openid-card.tsx";

interface ConnectApplicationProps {
	readonly application: Schemas["Application"];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
	readonly onChanged: () => void;
}

export function ConnectApplication({ application, onSettings, onChanged }: ConnectApplicationProps) {
	const t = useWords("console-access").applications;
	const { id } = application;
	const service = location.origin;
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
