// Connects an application: its framework first, then what that needs; afterwards its code and connection details.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { OptionList } from "../../ui/option-list.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { AddressesField } from "../applications/addresses-field.tsx";
import { useChecked } from "../editing/use-checked.ts";
import { RefusalsCard } from "../refusals/refusals-card.tsx";
import { isAdmin } from "../roles.ts";
import { ConnectedClient } from "./connected-client.tsx";
import { localAddress } from "./fill-in.ts";
import { FirstSignIn } from "./first-sign-in.tsx";
import type { FrameworkCodeProps } from "./framework-code.tsx";
import { LIBRARIES, OTHER_LIBRARY, settingsFor } from "./libraries.ts";
import { ProofFields, proofProblems, proofSettings, SECRET_PROOF } from "./proof-fields.tsx";
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
	const { data, error, isLoading, reload } = useCall(
		"GET /applications/{id}/oauth-client",
		hasClient ? { path: { id } } : undefined,
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
	const query = useQuery("workload-code.tsx", () => import("./workload-code.tsx"));
	return (
		<Card title={t.blockTitle} description={t.blockText}>
			<Loaded query={query}>{({ WorkloadCode }) => <WorkloadCode {...props} />}</Loaded>
		</Card>
	);
}

/** Code for a connected web application, loaded on demand because it is rarely needed. */
function FrameworkCard(props: FrameworkCodeProps) {
	const t = useWords("console-access").openid;
	const query = useQuery("framework-code.tsx", () => import("./framework-code.tsx"));
	return (
		<Card title={t.codeTitle} description={t.codeText}>
			<Loaded query={query}>{({ FrameworkCode }) => <FrameworkCode {...props} />}</Loaded>
		</Card>
	);
}

/** Asks only for what the chosen framework or kind of program needs. */
interface ConnectFormProps {
	readonly application: Schemas["Application"];
	readonly way: Way;
	readonly onConnected: (client: Schemas["OAuthClientWithSecret"]) => void;
}

function ConnectForm({ application, way, onConnected }: ConnectFormProps) {
	const t = useWords("console-access").openid;
	const ofWorkloads = useWords("console-workloads");
	const words = useWords("console-access").applications;
	const { id, redirect_uris } = application;
	const type = clientTypeOf(way);
	const framework = frameworkOf(way);
	const [addresses, setAddresses] = useState(() =>
		redirect_uris.length === 0 && framework !== undefined
			? localAddress(framework)
			: redirect_uris.join("\n"),
	);
	const { values, field } = useFields({
		library: OTHER_LIBRARY as string,
		device_flow: false,
		first_party: false,
	});
	const [proof, setProof] = useState(SECRET_PROOF);
	const hasPeople = type !== "service";
	const hasProof = type === "web" || type === "service";
	const connect = useAction(async () => {
		const lines = linesOf(addresses);
		// First, because users cannot sign in to a client without redirect URIs.
		if (hasPeople && lines.join("\n") !== redirect_uris.join("\n"))
			await call("PATCH /applications/{id}", { path: { id }, body: { redirect_uris: lines } });
		const body = {
			type,
			...(hasProof && proofSettings(proof)),
			...(hasPeople && { first_party: values.first_party }),
			...(type === "web" && settingsFor(values.library)),
			...(type === "native" && { device_flow: values.device_flow }),
		};
		const { data } = await call("PUT /applications/{id}/oauth-client", { path: { id }, body });
		onConnected(data);
	});
	// A device that shows a code has no redirect URI.
	const hasNoAddress = ["web", "spa"].includes(type) && linesOf(addresses).length === 0;
	const checked = useChecked(connect, () => ({
		...(hasNoAddress && { redirect_uris: t.addressesMissing }),
		...(hasProof && proofProblems(proof, t, ofWorkloads)),
	}));
	return (
		<Form {...checked} submitLabel={t.connect}>
			{way === "server" && (
				<Select
					{...field("library")}
					label={t.library}
					hint={t.libraryHint}
					options={[
						{ value: OTHER_LIBRARY, label: t.otherLibrary },
						...LIBRARIES.map(({ key, label }) => ({ value: key, label })),
					]}
				/>
			)}
			{type === "native" && (
				<Checkbox {...field("device_flow")} label={t.deviceFlow} hint={t.deviceFlowHint} />
			)}
			{hasPeople && (
				<AddressesField
					name="redirect_uris"
					label={words.addresses}
					hint={t.addressesHint}
					addLabel={words.addAddress}
					value={addresses}
					onValue={setAddresses}
				/>
			)}
			<details>
				<summary>{t.moreSettings}</summary>
				<div class="lk-form lk-stack">
					{hasPeople && <Checkbox {...field("first_party")} label={t.firstParty} hint={t.firstPartyHint} />}
					{hasProof && <ProofFields proof={proof} onProof={setProof} />}
				</div>
			</details>
		</Form>
	);
}
