// The fields of a provider, by kind.

import type { ApiError } from "../../api/error.ts";
import { PROVIDER_NAME_MAX } from "../../api/limits.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { connectFields } from "../../ui/use-fields.ts";
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
	const field = connectFields(fields, (change) => onFields({ ...fields, ...change }));
	const issuer = issuerOf(kind);
	const problem = error?.details.find(({ field }) => field === "issuer");
	const exact = problem?.code === "issuer_exact" ? String(problem.params.issuer) : fields.issuer;
	return (
		<>
			<TextInput {...field("display_name")} label={t.displayName} limit={PROVIDER_NAME_MAX} required />
			{issuer !== "none" && (
				<TextInput
					{...field("issuer")}
					type="url"
					label={t.issuer}
					hint={t.issuers[kind]}
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
				<Checkbox {...field("force")} label={t.force} hint={t.forceHint} />
			)}
			<TextInput {...field("client_id")} label={t.clientIds[kind]} code required />
			<Secret kind={kind} field={field} hasSecret={hasSecret} />
			<Checkbox {...field("sign_up")} label={t.signUp} hint={t.signUpHint} />
		</>
	);
}

interface SecretProps extends Pick<ProviderFieldsProps, "kind" | "hasSecret"> {
	readonly field: ReturnType<typeof connectFields<ProviderFields>>;
}

function Secret({ kind, field, hasSecret }: SecretProps) {
	const t = useWords("console-settings").providers;
	const hint = hasSecret ? t.secretKept : undefined;
	if (kind !== "apple")
		return (
			<PasswordInput
				{...field("client_secret")}
				label={t.secrets[kind]}
				hint={hint}
				autoComplete="off"
				required={!hasSecret}
			/>
		);
	return (
		<>
			<TextInput {...field("team_id")} label={t.teamId} code />
			<TextInput {...field("key_id")} label={t.keyId} code />
			<TextArea
				{...field("client_secret")}
				label={t.secrets.apple}
				hint={hint}
				placeholder="-----BEGIN PRIVATE KEY-----"
				code
				rows={4}
				required={!hasSecret}
			/>
		</>
	);
}
