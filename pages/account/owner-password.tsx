// The account's password in a form, or what replaces it if the account has none.

import { useEffect, useRef } from "preact/hooks";
import { signOut } from "../api/session.ts";
import { HiddenUsername } from "../sign-in/hidden-username.tsx";
import { Button } from "../ui/button.tsx";
import { useField } from "../ui/form-context.ts";
import { Link } from "../ui/link.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { useFactors } from "./factors.ts";
import { ownUser } from "./own-user.ts";

interface OwnerPasswordProps {
	/** As the API names it. */
	readonly name: "password" | "current_password";
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** The first field of the form. */
	readonly takesFocus?: boolean;
}

export function OwnerPassword({ name, value, onValue, takesFocus = false }: OwnerPasswordProps) {
	const t = useWords("account");
	const factors = useFactors();
	const place = useRef<HTMLDivElement>(null);
	const hasPassword = factors.data?.data.has_password;
	useEffect(() => {
		if (takesFocus && hasPassword === true)
			place.current?.querySelector<HTMLElement>(`[name=${name}]`)?.focus();
	}, [hasPassword]);
	return (
		<Loaded query={factors} waiting={<Skeleton height="4rem" />}>
			{({ data }) =>
				data.has_password ? (
					<div ref={place}>
						{/* For password managers: what is typed belongs to this name. */}
						<HiddenUsername username={ownUser().username} />
						<PasswordInput
							name={name}
							label={t.yourPassword}
							value={value}
							onValue={onValue}
							autoComplete="current-password"
						/>
					</div>
				) : (
					<NoPassword name={name} />
				)
			}
		</Loaded>
	);
}

/** `name` is the password field, so that errors about it appear here. */
function NoPassword({ name }: { readonly name: "password" | "current_password" }) {
	const t = useWords("account");
	const { error } = useField(name, {});
	const isRefused = error !== undefined;
	// A verified address can receive the link to set a password, so the API requires a password before the address changes.
	if (name === "current_password" && ownUser().email_verified)
		return (
			<Notice
				tone={isRefused ? "danger" : "info"}
				isFormError={isRefused}
				action={<Link href="/account/security">{t.sections.security}</Link>}
			>
				{t.passwordFirst}
			</Notice>
		);
	return (
		<Notice
			tone={isRefused ? "danger" : "info"}
			isFormError={isRefused}
			action={
				<Button size="small" onClick={() => signOut(`/sign-in?return_to=${location.pathname}`)}>
					{t.signInAgain}
				</Button>
			}
		>
			{isRefused ? t.signInTooOld : t.noPasswordProof}
		</Notice>
	);
}
