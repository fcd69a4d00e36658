// `/account/security`: sign-in methods and second factors.

import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SecretList } from "../ui/secret-list.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { useFactors } from "./factors.ts";
import { LinkedAccountsCard } from "./linked-accounts-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { signalPasskeys } from "./signal-passkeys.ts";
import { VerificationCard } from "./verification-card.tsx";
import "./recovery-codes-dialog.css";

export function Security() {
	const t = useWords("account");
	const factors = useFactors();
	const [codes, setCodes] = useState<readonly string[]>();
	const onChange = (recoveryCodes?: readonly string[]) => {
		setCodes(recoveryCodes);
		factors.reload();
	};
	const known = factors.data?.data;
	const isFresh = !factors.isLoading && factors.error === undefined;
	const signalled = useRef<NonNullable<typeof known>["passkey_account"]>(null);
	// Also after each change of the passkeys. A remembered list may lack a new one, which the browser would then remove.
	useEffect(() => {
		if (known === undefined || !isFresh) return;
		const { current: before } = signalled;
		// Null after the removal of the last passkey.
		signalled.current = known.passkey_account ?? (before && { ...before, credential_ids: [] });
		signalPasskeys(signalled.current).catch(reportError);
	}, [known, isFresh]);
	return (
		<>
			<PageHeader title={t.sections.security} description={t.securityText} />
			<Loaded query={factors} waiting={<Skeleton height="24rem" />}>
				{({ data }) => (
					<div class="lk-stack">
						{data.required && !data.mfa_enabled && <Notice tone="warning">{t.factorRequired}</Notice>}
						<PasswordCard hasPassword={data.has_password} />
						<PasskeysCard onChange={onChange} />
						<VerificationCard factors={data} onChange={onChange} />
						<LinkedAccountsCard />
					</div>
				)}
			</Loaded>
			{codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
		</>
	);
}

interface RecoveryCodesDialogProps {
	readonly codes: readonly string[];
	readonly onClose: () => void;
}

/** Closed by the button only: Escape would lose the codes. */
function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
	const t = useWords("account");
	const actions = (
		<>
			<Button onClick={() => print()}>{t.print}</Button>
			<Button variant="primary" onClick={onClose}>
				{t.codesSaved}
			</Button>
		</>
	);
	return (
		<Dialog isBlocking onClose={onClose} title={t.codesTitle} actions={actions}>
			<div class="lk-stack account-codes">
				<p>{t.codesText}</p>
				<SecretList
					label={t.codesTitle}
					warning={t.codesOnce}
					secrets={codes}
					fileName="recovery-codes.txt"
					fileTitle={t.codesFileTitle(location.host)}
				/>
			</div>
		</Dialog>
	);
}
