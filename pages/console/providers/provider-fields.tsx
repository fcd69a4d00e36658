// The fields of a provider, by kind.

import type { ApiError } from "../../api/error.ts";
import { PROVIDER_NAME_MAX } from "../../api/limits.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { issuerOf, type Kind, type ProviderFields } from "./provider-kinds.ts";

interface ProviderFieldsProps {
	readonly kind: Kind;
	readonly fields: ProviderFields;
	readonly onFields: (fields: ProviderFields) => void;
	/** An empty field keeps the stored secret. */
	readonly hasSecret: boolean;
	/** Why the fields were not saved. */
	readonly error: ApiError | undefined;
}

export function ProviderFieldInputs({ kind, fields, onFields, hasSecret, error }: ProviderFieldsProps) {
	const t = useWords("console-settings").providers;
	const set = (name: keyof ProviderFields) => (value: string) => onFields({ ...fields, [name]: value });
	const issuer = issuerOf(kind);
	const problem = error?.details.find(({ field }) => field === "issuer");
	const exact = problem?.code === "issuer_exact" ? String(problem.params.issuer) : fields.issuer;
	return (
		<>
			<TextInput
				name="display_name"
				label={t.displayName}
				limit={PROVIDER_NAME_MAX}
				value={fields.display_name}
				onValue={set("display_name")}
				required
			/>
			{issuer !== "none" && (
				<TextInput
					name="issuer"
					type="url"
					label={t.issuer}
					hint={t.issuers[kind]}
					value={fields.issuer}
					onValue={set("issuer")}
					required={issuer === "required"}
					optional={issuer === "optional"}
				/>
			)}
			{exact !== fields.issuer && (
				<div>
					<Button onClick={() => onFields({ ...fields, issuer: exact })}>{t.useIssuer}</Button>
				</div>
			)}
			{(problem?.code === "issuer_unreachable" || fields.force) && (
				<Checkbox
					name="force"
					label={t.force}
					hint={t.forceHint}
					value={fields.force}
					onValue={(force) => onFields({ ...fields, force })}
				/>
			)}
			<TextInput
				name="client_id"
				label={t.clientIds[kind]}
				code
				value={fields.client_id}
				onValue={set("client_id")}
				required
			/>
			<Secret kind={kind} fields={fields} set={set} hasSecret={hasSecret} />
			<Checkbox
				name="sign_up"
				label={t.signUp}
				hint={t.signUpHint}
				value={fields.sign_up}
				onValue={(sign_up) => onFields({ ...fields, sign_up })}
			/>
		</>
	);
}

interface SecretProps extends Omit<ProviderFieldsProps, "onFields" | "error"> {
	readonly set: (name: keyof ProviderFields) => (value: string) => void;
}

function Secret({ kind, fields, set, hasSecret }: SecretProps) {
	const t = useWords("console-settings").providers;
	const hint = hasSecret ? t.secretKept : undefined;
	if (kind !== "apple")
		return (
			<PasswordInput
				name="client_secret"
				label={t.secrets[kind]}
				hint={hint}
				autoComplete="off"
				value={fields.client_secret}
				onValue={set("client_secret")}
				required={!hasSecret}
			/>
		);
	return (
		<>
			<TextInput name="team_id" label={t.teamId} code value={fields.team_id} onValue={set("team_id")} />
			<TextInput name="key_id" label={t.keyId} code value={fields.key_id} onValue={set("key_id")} />
			<TextArea
				name="client_secret"
				label={t.secrets.apple}
				hint={hint}
				placeholder="-----BEGIN PRIVATE KEY-----"
				code
				rows={4}
				value={fields.client_secret}
				onValue={set("client_secret")}
				required={!hasSecret}
			/>
		</>
	);
}
