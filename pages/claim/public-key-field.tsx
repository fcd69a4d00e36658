// A field for a public key: a JSON Web Key or PEM.

import { useState } from "preact/hooks";
import { TextArea } from "../ui/text-area.tsx";
import { useWords } from "../words/words.ts";
import { type PublicKey, type PublicKeyProblem, readPublicKey } from "./key-pair.ts";

export function usePublicKeyField() {
	const t = useWords("claim").keys;
	const [text, setText] = useState("");
	const [problem, setProblem] = useState<PublicKeyProblem>();
	const change = (text: string) => {
		setText(text);
		setProblem(undefined);
	};
	return {
		field: (
			<TextArea
				name="public_key"
				label={t.publicKey}
				hint={t.publicKeyHint}
				value={text}
				onValue={change}
				rows={4}
				code
				required
			/>
		),
		/** For the form. */
		errors: problem && { public_key: t.problems[problem] },
		/** @returns undefined if the text is no public key, which `errors` says from then on */
		read(): PublicKey | undefined {
			const read = readPublicKey(text);
			if (typeof read !== "string") return read;
			setProblem(read);
			if (read === "private") setText("");
			return undefined;
		},
	};
}
