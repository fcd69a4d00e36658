// The OpenID Connect settings of an application: the form that connects it, or its connection details.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { ConnectForm } from "./connect-form.tsx";
import { ConnectedClient } from "./connected-client.tsx";
import type { FrameworkCodeProps } from "./framework-code.tsx";
import { Refusals } from "./refusals.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface OpenIdCardProps {
	readonly application: Schemas["Application"];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
	/** After a change of the application itself. */
	readonly onChanged: () => void;
	/** Shown unless the application signs people in with OpenID Connect, because it then gets no sign-in tickets. */
	readonly children: ComponentChildren;
}

export function OpenIdCard({ application, onSettings, onChanged, children }: OpenIdCardProps) {
	const t = useWords("console-access").openid;
	const { id, redirect_uris } = application;
	const { data, error, isLoading, reload } = useQuery(`GET /applications/${id}/oauth-client`, (signal) =>
		call("GET /applications/{id}/oauth-client", { path: { id }, signal }),
	);
	const [created, setCreated] = useState<Schemas["OAuthClientWithSecret"]>();
	const isMissing = error?.code === "oauth_client.not_found";
	const close = () => {
		setCreated(undefined);
		reload();
		onChanged();
	};
	return (
		<>
			<Card title={t.title} description={t.text}>
				{error === undefined && data === undefined && <Skeleton lines={4} />}
				{error !== undefined && !isMissing && (
					<LoadError error={error} onRetry={reload} pending={isLoading} />
				)}
				{error === undefined && data !== undefined && (
					<ConnectedClient application={application} client={data.data} onChanged={reload} />
				)}
				{isMissing &&
					(isAdmin() ? (
						<ConnectForm application={application} onConnected={setCreated} />
					) : (
						<p>{t.notConnected}</p>
					))}
				{created !== undefined && <SecretDialog client={created} title={t.connected} onClose={close} />}
			</Card>
			{error === undefined && data !== undefined && <Refusals clientId={id} />}
			{error === undefined && data !== undefined && hasGuideCode(data.data) && (
				<FrameworkCard clientId={id} addresses={redirect_uris} onSettings={onSettings} />
			)}
			{(isMissing || data?.data.type === "service") && children}
		</>
	);
}

/** The guide's code authenticates with a secret. */
function hasGuideCode({ type, auth_method }: Schemas["OAuthClient"]): boolean {
	return type === "web" && auth_method !== "private_key_jwt";
}

/** Code for a connected web application, loaded on demand because it is rarely needed. */
function FrameworkCard(props: FrameworkCodeProps) {
	const t = useWords("console-access").openid;
	const { data, error, isLoading, reload } = useQuery(
		"framework-code.tsx",
		() => import("./framework-code.tsx"),
	);
	return (
		<Card title={t.codeTitle} description={t.codeText}>
			{data !== undefined && <data.FrameworkCode {...props} />}
			{data === undefined && error === undefined && <Skeleton lines={8} />}
			{data === undefined && error !== undefined && (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			)}
		</Card>
	);
}
