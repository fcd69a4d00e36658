// The key for an authenticator app: as a QR code, as a link for an app on this device, and as text.

import type { Schemas } from "../api/routes.ts";
import { CopyField } from "../ui/copy-field.tsx";
import { Link } from "../ui/link.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import "./app-key.css";

/** As the API shows it once. */
export type StartedApp = Schemas["StartTotpAtSignInResponse"]["data"];

interface AppKeyProps {
	readonly words: { readonly qrLabel: string; readonly openApp: string; readonly secret: string };
	readonly app: StartedApp;
}

export function AppKey({ words, app: { secret, otpauth_uri } }: AppKeyProps) {
	return (
		<>
			<div class="app-key">
				<QrCode text={otpauth_uri} label={words.qrLabel} />
				<Link href={otpauth_uri}>{words.openApp}</Link>
			</div>
			<CopyField label={words.secret} value={secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} />
		</>
	);
}
