// The fields of a provider, by kind.

import type { ApiError } from "../../api/error.ts";
import { PROVIDER_NAME_MAX } from "../../api/limits.ts";
import { Button } from "../../ui/button.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { optionsOf } from "../../ui/options.ts";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { connectFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { IssuerFields } from "./issuer-fields.tsx";
import {
	hasSubjectClaim,
	issuerOf,
	type Kind,
	namesPeople,
	type ProviderFields,
	signsIn,
	USES,
	type Use,
	vouches,
} from "./provider-kinds.ts";

const SUBJECT_CLAIMS = ["sub", "oid"] as const;
const EMAIL_DOMAINS = ["any", "verified"] as const;

interface ProviderFieldsProps {
	readonly kind: Kind;
	readonly fields: ProviderFields;
	readonly onFields: (fields: ProviderFields) => void;
	/** An empty field keeps the stored secret. */
	readonly hasSecret: boolean;
	/** When the stored keys were pasted. */
	readonly keysSetAt?: string | null;
	/** Why the fields were not saved. */
	readonly error: ApiError | undefined;
}

/** What the issuer is used for decides which fields are shown. */
export function ProviderFieldInputs(props: ProviderFieldsProps) {
	const { kind, fields, onFields, hasSecret, keysSetAt = null, error } = props;
	const t = useWords("console-settings").providers;
	const field = connectFields(fields, (change) => onFields({ ...fields, ...change }));
	const issuer = issuerOf(kind);
	const problem = error?.details.find(({ field }) => field === "issuer");
	const exact = problem?.code === "issuer_exact" ? String(problem.params.issuer) : fields.issuer;
	return (
		<>
			{kind === "oidc" && (
				<CheckboxGroup<Use>
					name="uses"
					label={t.uses}
					values={fields.uses}
					onValues={(uses) => onFields({ ...fields, uses, ...addressesOf(fields, uses) })}
					options={optionsOf(USES, t.useNames, t.useHints)}
				/>
			)}
			<TextInput
				{...field("display_name")}
				label={signsIn(fields) ? t.displayName : t.name}
				limit={PROVIDER_NAME_MAX}
				required
			/>
			{issuer !== "none" && (
				<TextInput
					{...field("issuer")}
					type="url"
					label={t.issuer}
					hint={fields.uses.includes("workloads") ? t.issuerOfWorkloads : t.issuers[kind]}
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
			{vouches(fields) && <IssuerFields fields={fields} field={field} keysSetAt={keysSetAt} />}
			{hasSubjectClaim(kind, fields) && (
				<Select
					{...field("subject_claim")}
					label={t.subjectClaim}
					hint={t.subjectClaimHint}
					options={optionsOf(SUBJECT_CLAIMS, t.subjectClaims)}
				/>
			)}
			{fields.email_domains !== undefined && namesPeople(fields) && (
				<Select
					{...field("email_domains")}
					value={fields.email_domains}
					label={t.emailDomains}
					hint={t.emailDomainsHint}
					options={optionsOf(EMAIL_DOMAINS, t.emailDomainNames)}
				/>
			)}
			{signsIn(fields) && (
				<>
					<TextInput {...field("client_id")} label={t.clientIds[kind]} code required />
					<Secret kind={kind} field={field} hasSecret={hasSecret} />
					<Checkbox {...field("sign_up")} label={t.signUp} hint={t.signUpHint} />
				</>
			)}
		</>
	);
}

/** As the API does by default: an issuer that becomes one of assertions decides about no address. */
function addressesOf(
	{ uses, email_domains }: ProviderFields,
	next: readonly Use[],
): Partial<Pick<ProviderFields, "email_domains">> {
	const gains = next.includes("assertions") && !uses.includes("assertions");
	return gains && email_domains !== undefined ? { email_domains: "verified" } : {};
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
