// The choice before a claim: a Secret, a key pair that this page creates, or a public key of the partner.

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Checkbox, RadioGroup } from "../ui/choice.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { download } from "../ui/icons.ts";
import { Notice } from "../ui/notice.tsx";
import { save } from "../ui/secret-box.tsx";
import { useWords } from "../words/words.ts";
import { KEY_FILE } from "./environment-file.ts";
import { createKeyPair, type KeyPair, type PublicKey } from "./key-pair.ts";
import { usePublicKeyField } from "./public-key-field.tsx";

const CHOICES = ["secret", "pair", "own"] as const;
type Choice = (typeof CHOICES)[number];

export interface ChosenProof {
	/** Of the claim; empty for a Secret. */
	readonly body: { readonly public_key?: PublicKey };
	/** If this page created it. */
	readonly privateKey: CryptoKey | undefined;
}

export function useProof() {
	const t = useWords("claim").keys;
	const [choice, setChoice] = useState<Choice>("secret");
	const [pair, setPair] = useState<KeyPair | "unsupported">();
	/** The file was offered; only the partner knows whether it was stored. */
	const [isSaved, setSaved] = useState(false);
	const [isKept, setKept] = useState(false);
	const own = usePublicKeyField();
	const choose = (next: Choice) => {
		setChoice(next);
		// The pair of a saved file is never replaced.
		if (next === "pair" && pair === undefined)
			void createKeyPair().then((created) => setPair((before) => before ?? created ?? "unsupported"));
	};
	const created = typeof pair === "object" ? pair : undefined;
	const isReady = choice !== "pair" || (isSaved && isKept);
	return {
		hasKey: choice !== "secret",
		isReady,
		errors: choice === "own" ? own.errors : undefined,
		/** @returns undefined if the pasted key is none, or the private key was not saved: a repetition has no disabled button */
		take(): ChosenProof | undefined {
			if (!isReady) return undefined;
			const key = choice === "own" ? own.read() : choice === "pair" ? created?.publicKey : undefined;
			if (key === undefined) return choice === "secret" ? { body: {}, privateKey: undefined } : undefined;
			return { body: { public_key: key }, privateKey: choice === "pair" ? created?.privateKey : undefined };
		},
		fields: (
			<>
				<RadioGroup
					name="proof"
					label={t.choice}
					value={choice}
					onValue={choose}
					options={CHOICES.map((value) => ({ value, label: t.choices[value], hint: t.choiceHints[value] }))}
				/>
				{choice === "pair" && pair === "unsupported" && (
					<Notice tone="warning" title={t.unsupported}>
						{t.unsupportedText}
					</Notice>
				)}
				{choice === "pair" && created !== undefined && (
					<>
						<div>
							<Button
								icon={download}
								onClick={() => {
									save({ name: KEY_FILE, content: created.pem });
									setSaved(true);
								}}
							>
								{t.saveKey}
							</Button>
						</div>
						{isSaved ? (
							<Checkbox name="kept" label={t.kept} value={isKept} onValue={setKept} />
						) : (
							<p class="lk-muted">{t.saveFirst}</p>
						)}
					</>
				)}
				{choice === "own" && (
					<>
						{own.field}
						<CopyField label={t.command} value={KEY_COMMAND} />
					</>
				)}
			</>
		),
	};
}

/** Creates a key pair and prints the public key. */
const KEY_COMMAND = `(umask 077; openssl genpkey -algorithm ed25519 -out ${KEY_FILE}); openssl pkey -in ${KEY_FILE} -pubout`;
