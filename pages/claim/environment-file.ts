// The credentials as environment variables, with the names that the sample code reads.

/** Browsers strip a leading dot from saved file names, so `.env` would be saved as `env`. */
export const ENVIRONMENT_FILE = "latchkey.env";

interface Credentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
}

/** Without quotes: some parsers keep them, and no value needs them. */
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
