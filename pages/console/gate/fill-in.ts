// Fills the values of one gate into the code of docs/packages.md.

/** Where the guide's installation is. */
const GUIDE_URL = "https://auth.example.com";
/** The guide leaves the value open. */
const APPLICATION_VARIABLE = "LK_APP_ID=…";

interface GateValues {
	/** Origin of the service. */
	readonly url: string;
	readonly applicationId: string;
}

/** The programs read the same variables in every installation, so only commands change. The key stays open. */
export function fillInGate(text: string, { url, applicationId }: GateValues): string {
	return text
		.replaceAll(GUIDE_URL, () => url)
		.replaceAll(APPLICATION_VARIABLE, () => `LK_APP_ID=${applicationId}`);
}
