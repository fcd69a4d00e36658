// How a client with a server authenticates: with a secret, or with its own keys.

import type { Schemas } from "../../api/routes.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";

const METHODS = ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
const PLACES = ["address", "here"] as const;

export interface Proof {
	readonly method: (typeof METHODS)[number];
	/** Where its keys are: at a URL, or entered in the form. */
	readonly place: (typeof PLACES)[number];
	readonly jwksUri: string;
	/** JSON. */
	readonly jwks: string;
}

export const SECRET_PROOF: Proof = {
	method: "client_secret_basic",
	place: "address",
	jwksUri: "",
	jwks: "",
};

export function proofOf({ auth_method, jwks, jwks_uri }: Schemas["OAuthClient"]): Proof {
	return {
		method: auth_method === "none" ? "client_secret_basic" : auth_method,
		place: jwks === null ? "address" : "here",
		jwksUri: jwks_uri ?? "",
		jwks: jwks === null ? "" : JSON.stringify(jwks, null, "\t"),
	};
}

/** The settings for the API. Call only if `proofProblems` finds none. */
export function proofSettings({ method, place, jwksUri, jwks }: Proof) {
	if (method !== "private_key_jwt") return { auth_method: method, jwks: null, jwks_uri: null };
	return place === "address"
		? { auth_method: method, jwks: null, jwks_uri: jwksUri.trim() }
		: { auth_method: method, jwks: keysIn(jwks) ?? null, jwks_uri: null };
}

export function proofProblems(
	{ method, place, jwksUri, jwks }: Proof,
	t: WordsOf<"console-access">["openid"],
): Record<string, string> {
	if (method !== "private_key_jwt") return {};
	if (place === "address") return jwksUri.trim() === "" ? { jwks_uri: t.keyAddressMissing } : {};
	return keysIn(jwks) === undefined ? { jwks: t.keysUnreadable } : {};
}

/** A set, or one key. The API validates the keys. */
function keysIn(text: string): { keys: Record<string, unknown>[] } | undefined {
	try {
		const read = JSON.parse(text) as { keys?: unknown; kty?: unknown } | null;
		if (Array.isArray(read?.keys)) return { keys: read.keys as Record<string, unknown>[] };
		return typeof read?.kty === "string" ? { keys: [read] } : undefined;
	} catch {
		return undefined;
	}
}

interface ProofFieldsProps {
	readonly proof: Proof;
	readonly onProof: (proof: Proof) => void;
}

export function ProofFields({ proof, onProof }: ProofFieldsProps) {
	const t = useWords("console-access").openid;
	const { method, place, jwksUri, jwks } = proof;
	return (
		<>
			<Select
				name="auth_method"
				label={t.proof}
				hint={t.proofHint}
				value={method}
				onValue={(value) => onProof({ ...proof, method: value })}
				options={METHODS.map((value) => ({ value, label: t.proofs[value] }))}
			/>
			{method === "private_key_jwt" && (
				<RadioGroup
					name="keys_place"
					label={t.keys}
					value={place}
					onValue={(value) => onProof({ ...proof, place: value })}
					options={PLACES.map((value) => ({ value, label: t.keyPlaces[value] }))}
				/>
			)}
			{method === "private_key_jwt" && place === "address" && (
				<TextInput
					name="jwks_uri"
					label={t.keyAddress}
					hint={t.keyAddressHint}
					type="url"
					value={jwksUri}
					onValue={(value) => onProof({ ...proof, jwksUri: value })}
				/>
			)}
			{method === "private_key_jwt" && place === "here" && (
				<TextArea
					name="jwks"
					label={t.keySet}
					hint={t.keySetHint}
					code
					rows={8}
					value={jwks}
					onValue={(value) => onProof({ ...proof, jwks: value })}
				/>
			)}
		</>
	);
}
