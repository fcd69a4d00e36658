// The credentials as variables, by the names that the code in every language reads.

/** Browsers take the dot from the beginning of the name of a saved file, so `.env` alone would be saved as `env`. */
export const ENVIRONMENT_FILE = "latchkey.env";

interface Credentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
}

/** Without quotes, which not every reader of such files removes; none of the values needs them. */
export function environmentFile(
	baseUrl: string,
	{ tenant_id, app_id, api_key, secret }: Credentials,
): string {
	return [
		`LK_BASE_URL=${baseUrl}`,
		`LK_TENANT_ID=${tenant_id}`,
		`LK_APP_ID=${app_id}`,
		`LK_API_KEY=${api_key}`,
		`LK_SECRET=${secret}`,
		"",
	].join("\n");
}
