// Connects an application with OpenID Connect: asks only for what the chosen framework or kind of program needs.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { AddressesField } from "../applications/addresses-field.tsx";
import { localAddress } from "./fill-in.ts";
import { LIBRARIES, OTHER_LIBRARY, settingsFor } from "./libraries.ts";
import { ProofFields, proofProblems, proofSettings, SECRET_PROOF } from "./proof-fields.tsx";
import { clientTypeOf, frameworkOf, type Way } from "./ways.ts";

interface ConnectFormProps {
	readonly application: Schemas["Application"];
	readonly way: Way;
	readonly onConnected: (client: Schemas["OAuthClientWithSecret"]) => void;
}

export function ConnectForm({ application, way, onConnected }: ConnectFormProps) {
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
	const [errors, setErrors] = useState<Record<string, string>>();
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
	const submit = () => {
		// A device that shows a code has no redirect URI.
		const hasNoAddress = ["web", "spa"].includes(type) && linesOf(addresses).length === 0;
		const found = {
			...(hasNoAddress && { redirect_uris: t.addressesMissing }),
			...(hasProof && proofProblems(proof, t, ofWorkloads)),
		};
		const isIncomplete = Object.keys(found).length > 0;
		setErrors(isIncomplete ? found : undefined);
		return isIncomplete ? undefined : connect.run();
	};
	return (
		<Form submitLabel={t.connect} action={connect} onSubmit={submit} errors={errors}>
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
				<div class="lk-form">
					{hasPeople && <Checkbox {...field("first_party")} label={t.firstParty} hint={t.firstPartyHint} />}
					{hasProof && <ProofFields proof={proof} onProof={setProof} />}
				</div>
			</details>
		</Form>
	);
}
