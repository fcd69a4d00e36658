// Offers a passkey after a sign-in with a password, once per user and device, or creates it without a question.

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { useAction } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { ResponseOf } from "../api/routes.ts";
import { PENDING_PASSKEY } from "../pending-passkey.ts";
import { writeOfTab, writeStored } from "../stored.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { key } from "../ui/icons.ts";
import { findWords, useWords } from "../words/words.ts";
import type { PendingPasskey } from "./create-pending.ts";
import { firstPage, ownPage } from "./destination.ts";
import { createPasskey, declinedKey } from "./passkey.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { useShownError } from "./shown-error.ts";
import type { PasskeyOfferProps } from "./step.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import type { Visit } from "./visit.ts";
import type { Tokens } from "./visitor-call.ts";

const PASSKEYS = "/api/v1/users/me/mfa/passkeys";

/** @returns undefined if the user has a passkey. */
export async function offerFor(
	{ access_token: accessToken, user }: Tokens,
	password: string,
): Promise<ComponentType<PasskeyOfferProps> | undefined> {
	const factors = (await send("GET", "/api/v1/users/me/mfa", {
		accessToken,
	})) as ResponseOf<"GET /users/me/mfa">;
	const { passkeys, mfa_enabled } = factors.data;
	if (passkeys > 0) return undefined;
	return (props) => (
		<PasskeyOffer {...props} {...{ accessToken, password, userId: user.id, isFirstFactor: !mfa_enabled }} />
	);
}

/** The longest time for which a sign-in waits for the options of the next page, once per user and browser. */
const PATIENCE_MS = 1_000;
/** Less than the five minutes for which the service keeps a challenge. */
const KEPT_MS = 240_000;
const CREATING_PAGE = /^\/(?:account|console)(?:\/|$)/;

/**
 * Creates a passkey where the browser needs no question: on the page where the sign-in leads, if it is ours, and else in the
 * background while the sign-in continues. A refusal by the browser, or by the service because the user has a passkey or removed
 * such a one, ends it silently.
 */
export async function createAutomatically(tokens: Tokens, password: string, visit: Visit): Promise<void> {
	const { access_token: accessToken, user } = tokens;
	const name = findWords("sign-in-steps")?.enrolment.passkeyNameDefault ?? "Passkey";
	const keeps = createsOnNextPage(visit, user.roles);
	const work = async (): Promise<void> => {
		const started = (await send("POST", PASSKEYS, {
			body: { password, automatic: true },
			accessToken,
		})) as ResponseOf<"POST /users/me/mfa/passkeys">;
		const { options } = started.data;
		if (keeps) {
			const pending: PendingPasskey = { userId: user.id, options, name, untilMs: Date.now() + KEPT_MS };
			writeOfTab(PENDING_PASSKEY, JSON.stringify(pending));
			return;
		}
		const credential = await createPasskey(options, { isAutomatic: true });
		// The response may arrive after this page.
		await send("POST", `${PASSKEYS}/confirm`, { body: { name, credential }, accessToken, keepalive: true });
	};
	const done = work().catch((error: unknown) => {
		if (!(error instanceof ApiError)) reportError(error);
	});
	if (keeps) await Promise.race([done, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

function createsOnNextPage({ interaction, returnTo }: Visit, roles: Tokens["user"]["roles"]): boolean {
	if (interaction !== undefined) return false;
	const next = ownPage(returnTo, location.origin) ?? firstPage(roles);
	return CREATING_PAGE.test(new URL(next, location.origin).pathname);
}

interface OfferProps extends PasskeyOfferProps {
	readonly accessToken: string;
	/** The password that was just typed, because the API requires it. */
	readonly password: string;
	readonly userId: string;
	readonly isFirstFactor: boolean;
}

function PasskeyOffer({ Frame, onDone, accessToken, password, userId, isFirstFactor }: OfferProps) {
	const steps = useWords("sign-in-steps");
	const { offer: t, enrolment } = steps;
	const [codes, setCodes] = useState<readonly string[]>();
	const step = useFirstFocus();
	const create = useAction(async () => {
		const started = (await send("POST", PASSKEYS, {
			body: { password },
			accessToken,
		})) as ResponseOf<"POST /users/me/mfa/passkeys">;
		const credential = await createPasskey(started.data.options);
		const { data } = (await send("POST", `${PASSKEYS}/confirm`, {
			body: { name: enrolment.passkeyNameDefault, credential },
			accessToken,
		})) as ResponseOf<"POST /users/me/mfa/passkeys/confirm">;
		if (data.recovery_codes === undefined) onDone();
		else setCodes(data.recovery_codes);
	});
	const error = useShownError(create.error);
	if (codes !== undefined)
		return (
			<Frame title={enrolment.codesTitle} lead={enrolment.codesText}>
				<RecoveryCodes codes={codes} onDone={onDone} />
			</Frame>
		);
	return (
		<Frame title={t.title} lead={t.text}>
			<div ref={step}>
				<Form onSubmit={() => create.run()} error={error} pending={create.isPending}>
					{isFirstFactor && <p class="lk-muted">{t.consequence}</p>}
					<Button type="submit" variant="primary" wide icon={key} pending={create.isPending}>
						{t.create}
					</Button>
					<Button
						variant="quiet"
						wide
						onClick={() => {
							writeStored(declinedKey(userId), "1");
							onDone();
						}}
					>
						{t.later}
					</Button>
				</Form>
			</div>
		</Frame>
	);
}
