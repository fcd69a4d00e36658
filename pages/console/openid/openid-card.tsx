// Connects an application: its framework first, then what that needs; afterwards its code and connection details.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { OptionList } from "../../ui/option-list.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { RefusalsCard } from "../refusals/refusals-card.tsx";
import { isAdmin } from "../roles.ts";
import { ConnectForm } from "./connect-form.tsx";
import { ConnectedClient } from "./connected-client.tsx";
import { FirstSignIn } from "./first-sign-in.tsx";
import type { FrameworkCodeProps } from "./framework-code.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { clientTypeOf, frameworkOf, shownWays, type Way } from "./ways.ts";

interface OpenIdCardProps {
	readonly application: Schemas["Application"];
	/** Opens the settings, where redirect URIs are registered. */
	readonly onSettings: () => void;
	/** After a change of the application itself. */
	readonly onChanged: () => void;
	/** Shown where no connection details of a client that signs people in are. */
	readonly children: ComponentChildren;
}

export function OpenIdCard({ application, onSettings, onChanged, children }: OpenIdCardProps) {
	const { id, redirect_uris } = application;
	const [isConnected, setConnected] = useState(false);
	const hasClient = isConnected || application.has_oauth_client === true;
	const { data, error, isLoading, reload } = useQuery(
		hasClient ? `GET /applications/${id}/oauth-client` : undefined,
		(signal) => call("GET /applications/{id}/oauth-client", { path: { id }, signal }),
	);
	const [way, setWay] = useState<Way>();
	const connected = () => {
		setConnected(true);
		reload();
		onChanged();
	};
	if (!hasClient || error?.code === "oauth_client.not_found")
		return (
			<NotConnected application={application} way={way} onWay={setWay} onConnected={connected}>
				{children}
			</NotConnected>
		);
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton lines={8} />;
	const client = data.data;
	return (
		<>
			{client.type !== "service" && <FirstSignIn application={application} />}
			{hasGuideCode(client) && (
				<FrameworkCard
					clientId={id}
					initial={frameworkOf(way)}
					addresses={redirect_uris}
					onSettings={onSettings}
				/>
			)}
			{client.auth_method === "workload" && <WorkloadCard client={client} />}
			<ConnectedCard application={application} client={client} onChanged={reload} />
			<RefusalsCard subject="oauth_client" id={id} />
			{client.type === "service" && children}
		</>
	);
}

function ConnectedCard(props: Parameters<typeof ConnectedClient>[0]) {
	const t = useWords("console-access").openid;
	return (
		<Card title={t.title} description={t.text}>
			<ConnectedClient {...props} />
		</Card>
	);
}

interface NotConnectedProps {
	readonly application: Schemas["Application"];
	readonly way: Way | undefined;
	readonly onWay: (way: Way | undefined) => void;
	readonly onConnected: () => void;
	readonly children: ComponentChildren;
}

/** Asks for the framework first, then for what it needs. */
function NotConnected({ application, way, onWay, onConnected, children }: NotConnectedProps) {
	const t = useWords("console-access").openid;
	const [created, setCreated] = useState<Schemas["OAuthClientWithSecret"]>();
	const card = useRef<HTMLDivElement>(null);
	const shown = useRef(way);
	useLayoutEffect(() => {
		if (shown.current === way) return;
		shown.current = way;
		// The chosen button is gone.
		const heading = card.current?.querySelector("h2");
		heading?.setAttribute("tabindex", "-1");
		heading?.focus();
	}, [way]);
	if (!isAdmin())
		return (
			<>
				<Card title={t.title}>
					<p>{t.notConnected}</p>
				</Card>
				{children}
			</>
		);
	const ways = shownWays(t);
	if (way === undefined)
		return (
			<div ref={card}>
				<Card title={t.waysTitle} description={t.waysText}>
					<OptionList asTiles options={ways.map((one) => ({ ...one, onSelect: () => onWay(one.key) }))} />
				</Card>
			</div>
		);
	const other = (
		<Button size="small" onClick={() => onWay(undefined)}>
			{t.otherWay}
		</Button>
	);
	const title = ways.find(({ key }) => key === way)?.title ?? "";
	return (
		<div ref={card}>
			<Card title={title} description={t.typeHints[clientTypeOf(way)]} actions={other}>
				<ConnectForm key={way} application={application} way={way} onConnected={setCreated} />
				{created !== undefined && <SecretDialog client={created} title={t.connected} onClose={onConnected} />}
			</Card>
		</div>
	);
}

/** The guide's code authenticates with a secret. */
function hasGuideCode({ type, auth_method }: Schemas["OAuthClient"]): boolean {
	return type === "web" && (auth_method === "client_secret_basic" || auth_method === "client_secret_post");
}

/** Code for a pipeline, loaded on demand because it is rarely needed. */
function WorkloadCard(props: { readonly client: Schemas["OAuthClient"] }) {
	const t = useWords("console-workloads");
	const { data, error, isLoading, reload } = useQuery(
		"workload-code.tsx",
		() => import("./workload-code.tsx"),
	);
	return (
		<Card title={t.blockTitle} description={t.blockText}>
			{data !== undefined && <data.WorkloadCode {...props} />}
			{data === undefined && error === undefined && <Skeleton lines={8} />}
			{data === undefined && error !== undefined && (
				<LoadError error={error} onRetry={reload} pending={isLoading} />
			)}
		</Card>
	);
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
