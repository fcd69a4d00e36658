// What the program of a connected application needs, and what an administrator does with it.

import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import type { ConnectedClientProps } from "./client-props.ts";
import { discoveryAddress, ISSUER } from "./environment-file.ts";
import { RegenerateDialog } from "./regenerate-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { SettingsForm } from "./settings-form.tsx";

export function ConnectedClient({ application, client, onChanged }: ConnectedClientProps) {
	const t = useWords("console-access").openid;
	const [asked, setAsked] = useState<"settings" | "regenerate" | "remove">();
	const close = () => setAsked(undefined);
	const dialog = { application, client, onClose: close, onChanged };
	if (asked === "settings") return <SettingsForm client={client} onClose={close} onChanged={onChanged} />;
	return (
		<div class="lk-stack">
			<CopyField label={t.issuer} value={ISSUER} />
			<CopyField label={t.discovery} value={discoveryAddress()} />
			<CopyField label={t.clientId} value={client.client_id} />
			<Facts client={client} />
			{isAdmin() && (
				<div class="lk-row">
					<Button onClick={() => setAsked("settings")}>{t.change}</Button>
					{client.secret_hint !== "" && (
						<Button onClick={() => setAsked("regenerate")}>{t.regenerate}</Button>
					)}
					<Button variant="danger" onClick={() => setAsked("remove")}>
						{t.remove}
					</Button>
				</div>
			)}
			{asked === "regenerate" && <RegenerateDialog {...dialog} />}
			{asked === "remove" && <RemoveDialog {...dialog} />}
		</div>
	);
}

function Facts({ client }: Pick<ConnectedClientProps, "client">) {
	const t = useWords("console-access").openid;
	const { type, auth_method, secret_hint, previous_secret_expires_at: previousUntil } = client;
	const withoutSecret = auth_method === "private_key_jwt" ? t.withKeys : t.noSecret;
	const overlaps = previousUntil !== null && new Date(previousUntil).getTime() > Date.now();
	return (
		<DescriptionList
			items={[
				{ term: t.type, value: t.types[type] },
				{ term: t.secret, value: secret_hint === "" ? withoutSecret : t.secretEnd(secret_hint) },
				...(overlaps
					? [{ term: t.previousUntil, value: <Time at={previousUntil} format="datetime" /> }]
					: []),
				...(type === "service"
					? []
					: [{ term: t.consent, value: client.first_party ? t.asksNobody : t.asksConsent }]),
				...(client.jwks_uri === null ? [] : [{ term: t.keyAddress, value: client.jwks_uri }]),
				...(client.backchannel_logout_uri === null
					? []
					: [{ term: t.backchannel, value: client.backchannel_logout_uri }]),
				...(client.resource === null ? [] : [{ term: t.resource, value: client.resource }]),
				{ term: t.since, value: <Time at={client.created_at} format="datetime" /> },
			]}
		/>
	);
}
