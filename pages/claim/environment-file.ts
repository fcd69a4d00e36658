// The credentials as environment variables, with the names that the sample code reads.

import type { SigningCredentials } from "./sign-request.ts";

/** Browsers strip a leading dot from saved file names, so `.env` would be saved as `env`. */
const LIVE_FILE = "latchkey.env";
/** With another name, or an approved partner would keep loading the credentials of the test client. */
const TEST_FILE = "latchkey-test.env";

export function environmentFileName(mode: "live" | "test"): string {
	return mode === "test" ? TEST_FILE : LIVE_FILE;
}

/** The private key of a partner: the claim page saves it beside the variables, and the service never has it. */
export const KEY_FILE = "latchkey.pem";

/** Without quotes: some parsers keep them, and no value needs them. */
export function environmentFile(
	baseUrl: string,
	{ tenant_id, app_id, api_key, secret }: SigningCredentials,
): string {
	return [
		`LK_BASE_URL=${baseUrl}`,
		`LK_TENANT_ID=${tenant_id}`,
		`LK_APP_ID=${app_id}`,
		`LK_API_KEY=${api_key}`,
		secret === undefined ? `LK_PRIVATE_KEY_FILE=${KEY_FILE}` : `LK_SECRET=${secret}`,
		"",
	].join("\n");
}
