// The second factors other than passkeys: the authenticator app and recovery codes.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { AppKey, type StartedApp } from "../sign-in/app-key.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CodeInput } from "../ui/code-input.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { list, phone, refresh, trash } from "../ui/icons.ts";
import { Menu } from "../ui/menu.tsx";
import { announce } from "../ui/status-line.tsx";
import { useFields } from "../ui/use-fields.ts";
import { uiWords } from "../ui/words.ts";
import { useWords } from "../words/words.ts";
import type { FactorChange, Factors } from "./factors.ts";
import { proveOwner } from "./owner-dialog.tsx";

/** At this number or fewer, show a warning. */
const FEW_CODES = 2;

export function VerificationCard({ factors, onChange }: FactorChange & { readonly factors: Factors }) {
	const t = useWords("account");
	const [started, setStarted] = useState<StartedApp>();
	const codes = useRecoveryCodes(factors, onChange);
	const app = useApp(factors, onChange, setStarted);
	const onEnrolled = (recoveryCodes: readonly string[]) => {
		setStarted(undefined);
		onChange(recoveryCodes);
	};
	return (
		<Card title={t.verification} description={t.verificationText} flush>
			<EntryList label={t.verification} entries={codes === undefined ? [app] : [app, codes]} />
			{started !== undefined && (
				<AppDialog app={started} onClose={() => setStarted(undefined)} onEnrolled={onEnrolled} />
			)}
		</Card>
	);
}

function useApp({ totp }: Factors, onChange: () => void, onStarted: (app: StartedApp) => void): Entry {
	const t = useWords("account");
	const setUp = async () => {
		const started = await proveOwner({
			title: totp ? t.replaceApp : t.setUpApp,
			text: totp ? t.replaceAppText : t.setUpAppText,
			submitLabel: t.continue,
			act: (body) => call("POST /users/me/mfa/totp", { body }),
		});
		if (started !== undefined) onStarted(started.value.data);
	};
	const remove = async () => {
		const removed = await proveOwner({
			title: t.removeApp,
			text: t.removeAppText,
			submitLabel: t.remove,
			tone: "danger",
			act: (body) => call("DELETE /users/me/mfa/totp", { body }),
		});
		if (removed === undefined) return;
		onChange();
		announce(t.appRemoved);
	};
	return {
		key: "app",
		icon: phone,
		title: t.app,
		badge: totp ? <Badge>{t.on}</Badge> : undefined,
		detail: t.appText,
		actions: totp ? (
			<Menu
				label={uiWords().actionsOf(t.app)}
				items={[
					{ label: t.replaceApp, icon: refresh, onSelect: setUp },
					{ label: t.remove, icon: trash, tone: "danger", onSelect: remove },
				]}
			/>
		) : (
			<Button size="small" onClick={setUp}>
				{t.setUp}
			</Button>
		),
	};
}

/** Undefined if there is no second factor. */
function useRecoveryCodes(
	{ mfa_enabled, recovery_codes_left: left }: Factors,
	onChange: FactorChange["onChange"],
): Entry | undefined {
	const t = useWords("account");
	if (!mfa_enabled) return undefined;
	const renew = async () => {
		const renewed = await proveOwner({
			title: t.newCodesTitle,
			text: t.newCodesText,
			submitLabel: t.newCodes,
			act: (body) => call("POST /users/me/mfa/recovery-codes", { body }),
		});
		if (renewed !== undefined) onChange(renewed.value.data.recovery_codes);
	};
	return {
		key: "codes",
		icon: list,
		title: t.recoveryCodes,
		badge: <Badge tone={left <= FEW_CODES ? "warning" : "neutral"}>{t.codesLeft(left)}</Badge>,
		detail: t.recoveryCodesText,
		actions: (
			<Button size="small" onClick={renew}>
				{t.newCodes}
			</Button>
		),
	};
}

interface AppDialogProps {
	readonly app: StartedApp;
	readonly onClose: () => void;
	readonly onEnrolled: (recoveryCodes: readonly string[]) => void;
}

function AppDialog({ app, onClose, onEnrolled }: AppDialogProps) {
	const t = useWords("account");
	const { values, field } = useFields({ code: "" });
	const confirm = useAction(async (typed: string = values.code) => {
		const { data } = await call("POST /users/me/mfa/totp/confirm", { body: { code: typed } });
		onEnrolled(data.recovery_codes);
	});
	return (
		<FormDialog onClose={onClose} title={t.setUpApp} submitLabel={t.confirm} action={confirm}>
			<p>{t.scan}</p>
			<AppKey words={t} app={app} />
			<CodeInput {...field("code")} label={t.codeOfApp} onComplete={confirm.run} autoFocus />
		</FormDialog>
	);
}
