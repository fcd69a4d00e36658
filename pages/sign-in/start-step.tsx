// The first step: username and password, a passkey, or a provider account.

import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import { readStored, writeStored } from "../stored.ts";
import { Button } from "../ui/button.tsx";
import { Divider } from "../ui/divider.tsx";
import { Form } from "../ui/form.tsx";
import { key } from "../ui/icons.ts";
import { PasswordInput } from "../ui/password-input.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import type { Methods } from "./open-visit.ts";
import { askPasskey, hasPasskeys } from "./passkey.ts";
import type { ProviderLogo } from "./provider-logo.tsx";
import { useShownError } from "./shown-error.ts";
import type { StepProps } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import "./start-step.css";
import { send } from "../api/request.ts";
import type { ResponseOf } from "../api/routes.ts";
import { Notice } from "../ui/notice.tsx";
import { usePasskeyAutofill } from "./use-passkey-autofill.ts";
import { visitorCall } from "./visitor-call.ts";

/** How the last sign-in in this browser began; absent for a password. */
const LAST_WAY_KEY = "latchkey.sign-in-way";
const AT_FIELDS = { "credentials.invalid": "password" };

interface StartStepProps extends StepProps {
	readonly methods: Methods | undefined;
	/** Of a first factor that failed elsewhere. */
	readonly priorError: ApiError | undefined;
	readonly onUsername: (username: string) => void;
	/** The session of this user ended; no other user can continue it. */
	readonly isUserFixed: boolean;
	readonly onForgotten: () => void;
	readonly onMailedCode: () => void;
}

export function StartStep(props: StartStepProps) {
	const { methods, priorError, username, onUsername, isUserFixed, onOutcome, onForgotten, onMailedCode } =
		props;
	const t = useWords("sign-in");
	const [password, setPassword] = useState("");
	const [errors, setErrors] = useState<Record<string, string>>();
	const [isTried, setTried] = useState(false);
	const step = useFirstFocus();
	const withPassword = useAction(async () => {
		// A username reveals nothing, and is how administrators get past a provider that does not work.
		const identifier = username.trim();
		const route = identifier.includes("@")
			? await visitorCall("POST /auth/discover", { identifier })
			: undefined;
		if (route?.data.provider !== undefined) return await leaveFor(route.data.provider);
		if (password === "") return setErrors({ password: t.passwordMissing });
		const { data } = await visitorCall("POST /auth/login", { username: username.trim(), password });
		writeStored(LAST_WAY_KEY, null);
		await onOutcome(data, password);
	});
	const withPasskey = useAction(async (chosen?: Record<string, unknown>) => {
		setTried(true);
		withPassword.reset();
		autofill.stop();
		const assertion =
			chosen ?? (await askPasskey((await visitorCall("POST /auth/passkey/start")).data.options));
		const { data } = await visitorCall("POST /auth/passkey", { assertion });
		writeStored(LAST_WAY_KEY, "passkey");
		await onOutcome(data);
	});
	const autofill = usePasskeyAutofill(withPasskey.run, methods?.passkeys !== false);
	const isPasskeyOffered = methods?.passkeys !== false && hasPasskeys();
	const isCodeOffered = methods?.mailed_code === true && !isUserFixed;
	const providers = methods?.providers ?? [];
	const send = () => {
		const isAddress = username.includes("@");
		const missing = {
			...(username.trim() === "" && { username: t.usernameMissing }),
			...(password === "" && !isAddress && { password: t.passwordMissing }),
		};
		setTried(true);
		withPasskey.reset();
		withPassword.reset();
		setErrors(Object.keys(missing).length === 0 ? undefined : missing);
		return Object.keys(missing).length === 0 ? withPassword.run() : undefined;
	};
	const error = useShownError(
		withPassword.error ?? withPasskey.error ?? (isTried ? undefined : priorError),
		AT_FIELDS,
	);
	return (
		<div class="lk-stack" ref={step}>
			{!navigator.cookieEnabled && <Notice tone="warning">{t.noCookies}</Notice>}
			<Form onSubmit={send} error={error} errors={errors} pending={withPassword.isPending}>
				<TextInput
					name="username"
					label={t.username}
					value={username}
					onValue={onUsername}
					autoComplete="username webauthn"
					readOnly={isUserFixed}
				/>
				<PasswordInput
					name="password"
					label={t.password}
					value={password}
					onValue={setPassword}
					autoComplete="current-password"
				/>
				<Button type="submit" variant="primary" wide pending={withPassword.isPending}>
					{t.signIn}
				</Button>
				<Button variant="quiet" wide onClick={onForgotten}>
					{t.forgotten}
				</Button>
			</Form>
			{(isPasskeyOffered || isCodeOffered || providers.length > 0) && <Divider>{t.or}</Divider>}
			<div class="sign-in-ways">
				{isPasskeyOffered && (
					<Button icon={key} wide pending={withPasskey.isPending} onClick={() => withPasskey.run()}>
						{t.withPasskey}
						<LastUsed way="passkey" />
					</Button>
				)}
				{isCodeOffered && (
					<Button
						wide
						onClick={() => {
							writeStored(LAST_WAY_KEY, "mailed_code");
							onMailedCode();
						}}
					>
						{t.withMailedCode}
						<LastUsed way="mailed_code" />
					</Button>
				)}
				<ProviderButtons providers={providers} />
			</div>
		</div>
	);
}

function LastUsed({ way }: { readonly way: string }) {
	const t = useWords("sign-in");
	const [last] = useState(() => readStored(LAST_WAY_KEY));
	return last === way ? <span class="sign-in-last"> {t.lastUsed}</span> : null;
}

type Started = ResponseOf<"POST /auth/third-party/{provider}/start">;

/** Redirects to a provider, which redirects back to the sign-in page. */
async function leaveFor(provider: string): Promise<void> {
	const return_to = `/sign-in${location.search}`;
	const path = `/api/v1/auth/third-party/${encodeURIComponent(provider)}/start`;
	const { data } = (await send("POST", path, { body: { return_to } })) as Started;
	writeStored(LAST_WAY_KEY, `provider:${provider}`);
	location.assign(data.authorization_url);
}

function ProviderButtons({ providers }: { providers: Methods["providers"] }) {
	const t = useWords("sign-in");
	const leave = useAction(leaveFor);
	const error = useShownError(leave.error);
	const [Logo, setLogo] = useState<typeof ProviderLogo>();
	const isAny = providers.length > 0;
	// Loaded only where there are providers. Their space is reserved, so that nothing moves.
	useEffect(() => {
		if (isAny) import("./provider-logo.tsx").then((file) => setLogo(() => file.ProviderLogo), reportError);
	}, [isAny]);
	return (
		<>
			{error !== undefined && <Notice tone="danger">{error.message}</Notice>}
			{providers.map(({ provider, kind, display_name }) => (
				<Button key={provider} wide onClick={() => leave.run(provider)}>
					<span class="sign-in-provider">{Logo && <Logo kind={kind} />}</span>
					<bdi>{t.withProvider(display_name)}</bdi>
					<LastUsed way={`provider:${provider}`} />
				</Button>
			))}
		</>
	);
}
