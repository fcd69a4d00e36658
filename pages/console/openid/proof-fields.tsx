// How a client with a server authenticates: with a secret, with its own keys, or with the tokens of its platform.

import type { Schemas } from "../../api/routes.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { connectFields } from "../../ui/use-fields.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { keysIn, keysText } from "./key-set.ts";
import { WorkloadFields } from "./workload-fields.tsx";
import { NEW_ROW, problemsIn, rowOf, type WorkloadRow, workloadOf } from "./workload-rows.ts";

const METHODS = ["client_secret_basic", "client_secret_post", "private_key_jwt", "workload"] as const;
const PLACES = ["address", "here"] as const;

export type Proof = Readonly<typeof SECRET_PROOF>;

export const SECRET_PROOF = {
	auth_method: "client_secret_basic" as (typeof METHODS)[number],
	/** Where its keys are: at a URL, or entered in the form. */
	keys_place: "address" as (typeof PLACES)[number],
	jwks_uri: "",
	/** JSON. */
	jwks: "",
	workloads: [] as readonly WorkloadRow[],
};

export function proofOf({ auth_method, jwks, jwks_uri, workloads }: Schemas["OAuthClient"]): Proof {
	return {
		auth_method: auth_method === "none" ? "client_secret_basic" : auth_method,
		keys_place: jwks === null ? "address" : "here",
		jwks_uri: jwks_uri ?? "",
		jwks: keysText(jwks),
		workloads: workloads.map(rowOf),
	};
}

/** The settings for the API. Call only if `proofProblems` finds none. */
export function proofSettings({ auth_method, keys_place, jwks_uri, jwks, workloads }: Proof) {
	if (auth_method === "workload")
		return { auth_method, jwks: null, jwks_uri: null, workloads: workloads.map(workloadOf) };
	if (auth_method !== "private_key_jwt") return { auth_method, jwks: null, jwks_uri: null, workloads: [] };
	return keys_place === "address"
		? { auth_method, jwks: null, jwks_uri: jwks_uri.trim(), workloads: [] }
		: { auth_method, jwks: keysIn(jwks) ?? null, jwks_uri: null, workloads: [] };
}

export function proofProblems(
	{ auth_method, keys_place, jwks_uri, jwks, workloads }: Proof,
	t: WordsOf<"console-access">["openid"],
	ofWorkloads: WordsOf<"console-workloads">,
): Record<string, string> {
	if (auth_method === "workload") return problemsIn(workloads, ofWorkloads);
	if (auth_method !== "private_key_jwt") return {};
	if (keys_place === "address") return jwks_uri.trim() === "" ? { jwks_uri: t.keyAddressMissing } : {};
	return keysIn(jwks) === undefined ? { jwks: t.keysUnreadable } : {};
}

interface ProofFieldsProps {
	readonly proof: Proof;
	readonly onProof: (proof: Proof) => void;
}

export function ProofFields({ proof, onProof }: ProofFieldsProps) {
	const t = useWords("console-access").openid;
	const field = connectFields(proof, (change) => onProof({ ...proof, ...change }));
	const choose = (auth_method: Proof["auth_method"]) => {
		const isFirst = auth_method === "workload" && proof.workloads.length === 0;
		onProof({ ...proof, auth_method, ...(isFirst && { workloads: [NEW_ROW] }) });
	};
	return (
		<>
			<Select
				{...field("auth_method")}
				onValue={choose}
				label={t.proof}
				hint={t.proofHint}
				options={optionsOf(METHODS, t.proofs)}
			/>
			{proof.auth_method === "workload" && (
				<WorkloadFields rows={proof.workloads} onRows={(workloads) => onProof({ ...proof, workloads })} />
			)}
			{proof.auth_method === "private_key_jwt" && (
				<>
					<RadioGroup {...field("keys_place")} label={t.keys} options={optionsOf(PLACES, t.keyPlaces)} />
					{proof.keys_place === "address" ? (
						<TextInput {...field("jwks_uri")} label={t.keyAddress} hint={t.keyAddressHint} type="url" />
					) : (
						<TextArea {...field("jwks")} label={t.keySet} hint={t.keySetHint} code rows={8} />
					)}
				</>
			)}
		</>
	);
}
