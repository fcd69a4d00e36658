// Connects an application with OpenID Connect: client type, redirect URIs and authentication.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Checkbox, RadioGroup } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";
import { addressProblem } from "../applications/line-problems.ts";
import { LinesField } from "../applications/lines-field.tsx";
import { LIBRARIES, OTHER_LIBRARY, settingsFor } from "./libraries.ts";
import { ProofFields, proofProblems, proofSettings, SECRET_PROOF } from "./proof-fields.tsx";

const TYPES = ["web", "spa", "native", "service"] as const;

interface ConnectFormProps {
	readonly application: Schemas["Application"];
	readonly onConnected: (client: Schemas["OAuthClientWithSecret"]) => void;
}

export function ConnectForm({ application, onConnected }: ConnectFormProps) {
	const t = useWords("console-access").openid;
	const { lineProblems } = useWords("console-access").applications;
	const { id, redirect_uris } = application;
	const [type, setType] = useState<(typeof TYPES)[number]>("web");
	const [addresses, setAddresses] = useState(redirect_uris.join("\n"));
	const [isFirstParty, setFirstParty] = useState(false);
	const [library, setLibrary] = useState<string>(OTHER_LIBRARY);
	const [hasDeviceFlow, setDeviceFlow] = useState(false);
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
			...(hasPeople && { first_party: isFirstParty }),
			...(type === "web" && settingsFor(library)),
			...(type === "native" && { device_flow: hasDeviceFlow }),
		};
		const { data } = await call("PUT /applications/{id}/oauth-client", { path: { id }, body });
		onConnected(data);
	});
	const submit = () => {
		// A device that shows a code has no redirect URI.
		const hasNoAddress = ["web", "spa"].includes(type) && linesOf(addresses).length === 0;
		const found = {
			...(hasNoAddress && { redirect_uris: t.addressesMissing }),
			...(hasProof && proofProblems(proof, t)),
		};
		const isIncomplete = Object.keys(found).length > 0;
		setErrors(isIncomplete ? found : undefined);
		return isIncomplete ? undefined : connect.run();
	};
	return (
		<Form submitLabel={t.connect} action={connect} onSubmit={submit} errors={errors}>
			<RadioGroup
				name="type"
				label={t.type}
				value={type}
				onValue={setType}
				options={TYPES.map((value) => ({ value, label: t.types[value], hint: t.typeHints[value] }))}
			/>
			{type === "web" && (
				<Select
					name="library"
					label={t.library}
					hint={t.libraryHint}
					value={library}
					onValue={setLibrary}
					options={[
						{ value: OTHER_LIBRARY, label: t.otherLibrary },
						...LIBRARIES.map(({ key, label }) => ({ value: key, label })),
					]}
				/>
			)}
			{type === "native" && (
				<Checkbox
					name="device_flow"
					label={t.deviceFlow}
					hint={t.deviceFlowHint}
					checked={hasDeviceFlow}
					onValue={setDeviceFlow}
				/>
			)}
			{hasPeople && (
				<>
					<LinesField
						name="redirect_uris"
						label={t.addresses}
						hint={t.addressesHint}
						value={addresses}
						onValue={setAddresses}
						problemOf={(line) => addressProblem(line, lineProblems)}
					/>
					<Checkbox
						name="first_party"
						label={t.firstParty}
						hint={t.firstPartyHint}
						checked={isFirstParty}
						onValue={setFirstParty}
					/>
				</>
			)}
			{hasProof && <ProofFields proof={proof} onProof={setProof} />}
		</Form>
	);
}
