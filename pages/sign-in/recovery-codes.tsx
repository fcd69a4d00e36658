// The recovery codes that come with the first second factor, shown once.

import { Button } from "../ui/button.tsx";
import { SecretList } from "../ui/secret-list.tsx";
import { useWords } from "../words/words.ts";
import { useFirstFocus } from "./use-first-focus.ts";

export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => unknown }) {
	const { enrolment: t } = useWords("sign-in-steps");
	const step = useFirstFocus();
	return (
		<div class="lk-stack" ref={step}>
			<SecretList
				label={t.codesTitle}
				warning={t.codesOnce}
				secrets={codes}
				fileName="recovery-codes.txt"
				fileTitle={t.codesFileTitle(location.host)}
			/>
			<Button variant="primary" wide onClick={onDone}>
				{t.codesSaved}
			</Button>
		</div>
	);
}
