// How each credential that the service issues begins, so that they differ and secret scanners recognize them.

export const CREDENTIAL_PREFIX = {
	adminKey: "lk_",
	apiKey: "ak_",
	apiSecret: "sk_",
	directory: "lks_",
	gateKey: "gk_",
	oauthSecret: "ocs_",
	setUp: "lsu_",
	support: "lss_",
	webhookSecret: "whsec_",
} as const;
