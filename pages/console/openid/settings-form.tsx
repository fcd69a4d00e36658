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
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { connectFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { AddressesField } from "../applications/addresses-field.tsx";
import { ListField } from "../editing/list-field.tsx";
import { SaveBar } from "../editing/save-bar.tsx";
import { useChecked } from "../editing/use-checked.ts";
import { useEdits } from "../editing/use-edits.ts";
import { audienceLines, audiencesIn } from "./assertion-audiences.ts";
import { ProofFields, proofOf, proofProblems, proofSettings } from "./proof-fields.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

const ALGORITHMS = ["RS256", "ES256", "PS256"] as const;
type ResponseMode = Schemas["OAuthClient"]["response_modes"][number];

const PKCE_POLICIES = ["required", "optional", "off"] as const;
/** Types with a choice; the others have one mode or none. */
const RESPONSE_MODES = {
	web: ["query", "form_post"],
	spa: ["query", "fragment"],
	native: [],
} as const satisfies Record<SignInFieldsProps["type"], readonly ResponseMode[]>;

interface SettingsFormProps {
	readonly client: Schemas["OAuthClient"];
	readonly onChanged: () => void;
	readonly onClose: () => void;
}

export function SettingsForm({ client, onClose, onChanged }: SettingsFormProps) {
	const t = useWords("console-access").openid;
	const ofWorkloads = useWords("console-workloads");
	const id = useUniqueId();
	const { values, set, field, isChanged, saved } = useEdits(fieldsOf(client));
	const [created, setCreated] = useState<Schemas["OAuthClientWithSecret"]>();
	const hasProof = client.auth_method !== "none";
	const close = () => {
		onClose();
		onChanged();
	};
	const save = useAction(async () => {
		const {
			proof,
			post_logout_redirect_uris,
			allowed_resources,
			acts_for_people,
			assertion_audiences,
			claims,
			...fields
		} = values;
		const { data } = await call("PUT /applications/{id}/oauth-client", {
			path: { id: client.client_id },
			body: {
				...settingsOf(client),
				...(hasProof && proofSettings(proof)),
				...fields,
				post_logout_redirect_uris: linesOf(post_logout_redirect_uris),
				allowed_resources: linesOf(allowed_resources),
				acts_for_people: linesOf(acts_for_people),
				assertion_audiences: audiencesIn(assertion_audiences),
				claims: claimsIn(claims),
				backchannel_logout_uri: textOf(fields.backchannel_logout_uri),
				resource: textOf(fields.resource),
			},
		});
		saved(values);
		if (data.client_secret !== undefined) return setCreated(data);
		announce(t.saved);
		close();
	});
	const saveChanges = { ...save, run: () => (isChanged ? save.run() : undefined) };
	const checked = useChecked(saveChanges, () =>
		hasProof ? proofProblems(values.proof, t, ofWorkloads) : {},
	);
	if (created !== undefined) return <SecretDialog client={created} title={t.saved} onClose={close} />;
	return (
		<div class="lk-editing">
			<Form {...checked} id={id}>
				{hasProof && <ProofFields proof={values.proof} onProof={(proof) => set({ proof })} />}
				{hasProof && proofKind(values.proof.auth_method) !== proofKind(client.auth_method) && (
					<Notice tone="warning">{t.revokesIssuedTokens}</Notice>
				)}
				{client.type !== "service" && <SignInFields type={client.type} values={values} onChange={set} />}
				<TextInput {...field("resource")} label={t.resource} hint={t.resourceHint} code optional />
				<ListField
					{...field("allowed_resources")}
					label={t.allowedResources}
					hint={t.allowedResourcesHint}
					addLabel={t.addResource}
					optional
				/>
				{hasProof && (
					<ListField
						{...field("acts_for_people")}
						label={t.actsForPeople}
						hint={t.actsForPeopleHint}
						addLabel={t.addResource}
						optional
					/>
				)}
				{hasProof && client.type !== "service" && (
					<ListField
						{...field("assertion_audiences")}
						label={t.carries}
						hint={t.carriesHint}
						addLabel={t.addServer}
						optional
					/>
				)}
				{!isChanged && (
					<FormActions>
						<Button onClick={onClose}>{t.close}</Button>
					</FormActions>
				)}
			</Form>
			<SaveBar form={id} isShown={isChanged} action={save} onDiscard={onClose} />
		</div>
	);
}

type Values = ReturnType<typeof fieldsOf>;

interface SignInFieldsProps {
	readonly type: Exclude<Schemas["OAuthClient"]["type"], "service">;
	readonly values: Values;
	readonly onChange: (change: Partial<Values>) => void;
}

/** Of clients that people sign in to. */
function SignInFields({ type, values, onChange }: SignInFieldsProps) {
	const t = useWords("console-access").openid;
	const field = connectFields(values, onChange);
	return (
		<>
			<AddressesField
				{...field("post_logout_redirect_uris")}
				label={t.afterSignOut}
				hint={t.afterSignOutHint}
				addLabel={t.addAfterSignOut}
				optional
			/>
			<TextInput
				{...field("backchannel_logout_uri")}
				label={t.backchannel}
				hint={t.backchannelHint}
				type="url"
				optional
			/>
			<Select
				{...field("id_token_alg")}
				label={t.algorithm}
				hint={t.algorithmHint}
				options={ALGORITHMS.map((value) => ({ value, label: value }))}
			/>
			{type === "web" && (
				<Select
					{...field("pkce")}
					label={t.pkce}
					hint={t.pkceHint}
					options={optionsOf(PKCE_POLICIES, t.pkcePolicies)}
				/>
			)}
			{type === "web" && values.pkce === "off" && <Notice tone="warning">{t.pkceOff}</Notice>}
			{RESPONSE_MODES[type].length > 0 && (
				<CheckboxGroup<ResponseMode>
					name="response_modes"
					label={t.responseModes}
					hint={t.responseModesHint}
					values={values.response_modes}
					onValues={(modes) => onChange({ response_modes: [...modes] })}
					options={optionsOf(RESPONSE_MODES[type], t.responseModeNames)}
				/>
			)}
			{type === "native" && (
				<Checkbox {...field("device_flow")} label={t.deviceFlow} hint={t.deviceFlowHint} />
			)}
			<Checkbox {...field("first_party")} label={t.firstParty} hint={t.firstPartyHint} />
			{type === "web" && (
				<Select
					{...field("profile")}
					label={t.profile}
					hint={t.profileHint}
					options={optionsOf(PROFILES, t.profiles)}
				/>
			)}
			<ListField {...field("claims")} label={t.claims} hint={t.claimsHint} addLabel={t.addClaim} optional />
		</>
	);
}

/** As typed. */
function fieldsOf(client: Schemas["OAuthClient"]) {
	const { id_token_alg, pkce, response_modes, device_flow, first_party, profile } = client;
	return {
		...{ id_token_alg, pkce, response_modes, device_flow, first_party, profile },
		claims: client.claims.map(({ name, from, value }) => `${name} ${from} ${value}`).join("\n"),
		proof: proofOf(client),
		post_logout_redirect_uris: client.post_logout_redirect_uris.join("\n"),
		backchannel_logout_uri: client.backchannel_logout_uri ?? "",
		resource: client.resource ?? "",
		allowed_resources: client.allowed_resources.join("\n"),
		acts_for_people: client.acts_for_people.join("\n"),
		assertion_audiences: audienceLines(client.assertion_audiences).join("\n"),
	};
}

const PROFILES = ["none", "fapi2"] as const;

/** Name, source, and value of each line. The service names what is wrong. */
function claimsIn(typed: string): Schemas["OAuthClient"]["claims"] {
	return linesOf(typed).map((line) => {
		const [name = "", from = "", ...value] = line.split(" ");
		return { name, from: from as Schemas["ClientClaim"]["from"], value: value.join(" ") };
	});
}

/** A change between kinds ends what was issued. */
function proofKind(method: Schemas["OAuthClient"]["auth_method"]): string {
	return method === "private_key_jwt" || method === "workload" ? method : "secret";
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
