// Fills the values of one gate into the code of docs/packages.md.

/** The URL of the installation in the guide. */
const GUIDE_URL = "https://auth.example.com";
/** The guide contains a placeholder instead of the value. */
const APPLICATION_VARIABLE = "LK_APP_ID=…";

interface GateValues {
	/** Origin of the service. */
	readonly url: string;
	readonly applicationId: string;
}

/** The programs read the same variables in every installation, so only commands change. The key stays a placeholder. */
export function fillInGate(text: string, { url, applicationId }: GateValues): string {
	return text
		.replaceAll(GUIDE_URL, () => url)
		.replaceAll(APPLICATION_VARIABLE, () => `LK_APP_ID=${applicationId}`);
}
