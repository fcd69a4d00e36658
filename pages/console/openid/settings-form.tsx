// Changes the OAuth client settings of a connected application.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Form } from "../../ui/form.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { addressProblem } from "../applications/line-problems.ts";
import { LinesField } from "../applications/lines-field.tsx";
import { ProofFields, proofOf, proofProblems, proofSettings } from "./proof-fields.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

const ALGORITHMS = ["RS256", "ES256"] as const;
type ResponseMode = Schemas["OAuthClient"]["response_modes"][number];

const PKCE_POLICIES = ["required", "optional"] as const;
/** Types with a choice; the others have one mode or none. */
const RESPONSE_MODES = {
	web: ["query", "form_post"],
	spa: ["query", "fragment"],
	native: [],
	service: [],
} as const satisfies Record<Schemas["OAuthClient"]["type"], readonly ResponseMode[]>;

interface SettingsFormProps {
	readonly client: Schemas["OAuthClient"];
	readonly onChanged: () => void;
	readonly onClose: () => void;
}

export function SettingsForm({ client, onClose, onChanged }: SettingsFormProps) {
	const t = useWords("console-access").openid;
	const { lineProblems } = useWords("console-access").applications;
	const [proof, setProof] = useState(() => proofOf(client));
	const [postLogout, setPostLogout] = useState(client.post_logout_redirect_uris.join("\n"));
	const [backchannel, setBackchannel] = useState(client.backchannel_logout_uri ?? "");
	const [isFirstParty, setFirstParty] = useState(client.first_party);
	const [algorithm, setAlgorithm] = useState(client.id_token_alg);
	const [pkce, setPkce] = useState(client.pkce);
	const [responseModes, setResponseModes] = useState<readonly ResponseMode[]>(client.response_modes);
	const [hasDeviceFlow, setDeviceFlow] = useState(client.device_flow);
	const [resource, setResource] = useState(client.resource ?? "");
	const [allowed, setAllowed] = useState(client.allowed_resources.join("\n"));
	const [errors, setErrors] = useState<Record<string, string>>();
	const [created, setCreated] = useState<Schemas["OAuthClientWithSecret"]>();
	const hasPeople = client.type !== "service";
	const hasProof = client.auth_method !== "none";
	const isOtherKind =
		hasProof && (proof.method === "private_key_jwt") !== (client.auth_method === "private_key_jwt");

	const close = () => {
		onClose();
		onChanged();
	};
	const save = useAction(async () => {
		const { data } = await call("PUT /applications/{id}/oauth-client", {
			path: { id: client.client_id },
			body: {
				...settingsOf(client),
				...(hasProof && proofSettings(proof)),
				post_logout_redirect_uris: linesOf(postLogout),
				backchannel_logout_uri: textOf(backchannel),
				first_party: isFirstParty,
				id_token_alg: algorithm,
				pkce,
				response_modes: [...responseModes],
				device_flow: hasDeviceFlow,
				resource: textOf(resource),
				allowed_resources: linesOf(allowed),
			},
		});
		if (data.client_secret !== undefined) return setCreated(data);
		announce(t.saved);
		close();
	});
	const submit = () => {
		const found = hasProof ? proofProblems(proof, t) : {};
		const isIncomplete = Object.keys(found).length > 0;
		setErrors(isIncomplete ? found : undefined);
		return isIncomplete ? undefined : save.run();
	};
	if (created !== undefined) return <SecretDialog client={created} title={t.saved} onClose={close} />;
	return (
		<Form action={save} onSubmit={submit} errors={errors}>
			{hasProof && <ProofFields proof={proof} onProof={setProof} />}
			{isOtherKind && <Notice tone="warning">{t.revokesIssuedTokens}</Notice>}
			{hasPeople && (
				<>
					<LinesField
						name="post_logout_redirect_uris"
						label={t.afterSignOut}
						hint={t.afterSignOutHint}
						value={postLogout}
						onValue={setPostLogout}
						problemOf={(line) => addressProblem(line, lineProblems)}
					/>
					<TextInput
						name="backchannel_logout_uri"
						label={t.backchannel}
						hint={t.backchannelHint}
						type="url"
						optional
						value={backchannel}
						onValue={setBackchannel}
					/>
					<Select
						name="id_token_alg"
						label={t.algorithm}
						hint={t.algorithmHint}
						value={algorithm}
						onValue={setAlgorithm}
						options={ALGORITHMS.map((value) => ({ value, label: value }))}
					/>
					{client.type === "web" && (
						<Select
							name="pkce"
							label={t.pkce}
							hint={t.pkceHint}
							value={pkce}
							onValue={setPkce}
							options={PKCE_POLICIES.map((value) => ({ value, label: t.pkcePolicies[value] }))}
						/>
					)}
					{RESPONSE_MODES[client.type].length > 0 && (
						<CheckboxGroup<ResponseMode>
							name="response_modes"
							label={t.responseModes}
							hint={t.responseModesHint}
							values={responseModes}
							onValues={setResponseModes}
							options={RESPONSE_MODES[client.type].map((value) => ({
								value,
								label: t.responseModeNames[value],
							}))}
						/>
					)}
					{client.type === "native" && (
						<Checkbox
							name="device_flow"
							label={t.deviceFlow}
							hint={t.deviceFlowHint}
							checked={hasDeviceFlow}
							onValue={setDeviceFlow}
						/>
					)}
					<Checkbox
						name="first_party"
						label={t.firstParty}
						hint={t.firstPartyHint}
						checked={isFirstParty}
						onValue={setFirstParty}
					/>
				</>
			)}
			<TextInput
				name="resource"
				label={t.resource}
				hint={t.resourceHint}
				code
				optional
				value={resource}
				onValue={setResource}
			/>
			<LinesField
				name="allowed_resources"
				label={t.allowedResources}
				hint={t.allowedResourcesHint}
				value={allowed}
				onValue={setAllowed}
				problemOf={() => undefined}
			/>
			<FormActions>
				<Button type="submit" variant="primary" pending={save.isPending}>
					{t.save}
				</Button>
				<Button variant="quiet" onClick={onClose}>
					{t.cancel}
				</Button>
			</FormActions>
		</Form>
	);
}

/** All settings, so that those not in this form are kept. */
function settingsOf(client: Schemas["OAuthClient"]) {
	const {
		client_id: _id,
		tenant_id: _tenant,
		secret_hint: _hint,
		secret_created_at: _createdSecret,
		previous_secret_expires_at: _previous,
		created_at: _created,
		updated_at: _updated,
		...settings
	} = client;
	return settings;
}

function textOf(typed: string): string | null {
	return typed.trim() === "" ? null : typed.trim();
}
