// What a connected application needs, and the actions of an administrator.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Schemas } from "../../api/routes.ts";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { useAskedInUrl } from "../../ui/asked-in-url.ts";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import { discoveryAddress, ISSUER } from "./environment-file.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { SettingsForm } from "./settings-form.tsx";

interface ConnectedClientProps {
	readonly application: Schemas["Application"];
	readonly client: Schemas["OAuthClient"];
	readonly onChanged: () => void;
}

export function ConnectedClient({ application, client, onChanged }: ConnectedClientProps) {
	const t = useWords("console-access").openid;
	const [isEditing, setEditing] = useState(false);
	const regenerate = () =>
		openDialog((close) => <Regenerate client={client} onClose={close} onChanged={onChanged} />);
	const remove = () =>
		confirmAction({
			title: t.removeTitle(application.name),
			text: t.removeText,
			submitLabel: t.removeNow,
			typeToConfirm: application.name,
			act: () => call("DELETE /applications/{id}/oauth-client", { path: { id: client.client_id } }),
			done: t.removed,
			onDone: onChanged,
		});
	const isRotatable = isAdmin() && client.secret_hint !== "";
	useAskedInUrl(isRotatable ? "#connect/rotate" : undefined, regenerate);
	const controls = useRef<HTMLDivElement>(null);
	const before = useRef(isEditing);
	useLayoutEffect(() => {
		// The button or the form that had the focus is gone.
		if (isEditing !== before.current)
			controls.current?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
		before.current = isEditing;
	}, [isEditing]);
	if (isEditing)
		return (
			<div ref={controls}>
				<SettingsForm client={client} onClose={() => setEditing(false)} onChanged={onChanged} />
			</div>
		);
	return (
		<div class="lk-stack">
			<CopyField label={t.issuer} value={ISSUER} />
			<CopyField label={t.discovery} value={discoveryAddress()} />
			<CopyField label={t.clientId} value={client.client_id} />
			<Facts client={client} />
			{isAdmin() && (
				<div ref={controls} class="lk-row">
					<Button onClick={() => setEditing(true)}>{t.change}</Button>
					{isRotatable && <Button onClick={regenerate}>{t.regenerate}</Button>}
					<Button variant="danger" onClick={remove}>
						{t.remove}
					</Button>
				</div>
			)}
		</div>
	);
}

function Facts({ client }: Pick<ConnectedClientProps, "client">) {
	const t = useWords("console-access").openid;
	const { type, auth_method, secret_hint, previous_secret_expires_at: previousUntil } = client;
	const withoutSecret =
		auth_method === "workload" ? t.withWorkload : auth_method === "private_key_jwt" ? t.withKeys : t.noSecret;
	const overlaps = previousUntil !== null && new Date(previousUntil).getTime() > Date.now();
	return (
		<DescriptionList
			items={[
				{ term: t.type, value: t.types[type] },
				{ term: t.secret, value: secret_hint === "" ? withoutSecret : t.secretEnd(secret_hint) },
				overlaps && { term: t.previousUntil, value: <Time at={previousUntil} format="datetime" /> },
				type !== "service" && { term: t.consent, value: client.first_party ? t.asksNobody : t.asksConsent },
				client.jwks_uri !== null && { term: t.keyAddress, value: client.jwks_uri },
				client.backchannel_logout_uri !== null && {
					term: t.backchannel,
					value: client.backchannel_logout_uri,
				},
				client.resource !== null && { term: t.resource, value: client.resource },
				{ term: t.since, value: <Time at={client.created_at} format="datetime" /> },
			]}
		/>
	);
}

interface RegenerateProps extends Pick<ConnectedClientProps, "client" | "onChanged"> {
	readonly onClose: () => void;
}

function Regenerate({ client, onClose, onChanged }: RegenerateProps) {
	const t = useWords("console-access").openid;
	const [regenerated, setRegenerated] = useState<Schemas["OAuthClientWithSecret"]>();
	const close = () => {
		onClose();
		onChanged();
	};
	if (regenerated !== undefined)
		return <SecretDialog client={regenerated} title={t.regenerated} onClose={close} />;
	return (
		<RegenerateDialog
			onClose={onClose}
			title={t.regenerateTitle}
			submitLabel={t.regenerateNow}
			overlapLabel={t.overlap}
			overlaps={t.overlaps}
			regenerate={async (body) => {
				const path = { id: client.client_id };
				const route = "POST /applications/{id}/oauth-client/regenerate-secret";
				setRegenerated((await call(route, { path, body })).data);
			}}
		>
			<p>{t.regenerateText}</p>
		</RegenerateDialog>
	);
}
