// The claim page: one press turns the link's token into credentials, shown this once.

import { WORDS } from "./claim-words.js";
import { copyButton, locale, make, show, translate } from "./page.js";
import { offerPress } from "./press.js";

const words = translate(WORDS);

offerPress("/api/v1/access-requests/claim", words, (answer) => {
	const client = answer.body?.data;
	if (typeof client?.secret !== "string") return words.unexpected;
	showCredentials(client);
});

function showCredentials(client) {
	addEventListener("beforeunload", holdBack);
	const rows = [
		[words.tenantId, client.tenant_id],
		[words.appId, client.app_id],
		[words.apiKey, client.api_key],
		[words.secret, client.secret],
	];
	const list = document.querySelector("#credentials");
	for (const [label, value] of rows) {
		const code = make("code", {}, value);
		const onCopied = value === client.secret ? letGo : undefined;
		list.append(
			make("dt", {}, label),
			make(
				"dd",
				{},
				code,
				copyButton(words, label, code, () => value, onCopied),
			),
		);
	}
	fill("#environment", words.environment, environment(client), letGo);
	fill("#curl", words.command, CURL_CALL);
	fill("#call", words.command, 'bin/latchkey sign "$LK_BASE_URL/api/v1/external/whoami"');
	showLimits(client);
	document.querySelector("#start").hidden = true;
	show(document.querySelector("#result"));
}

function fill(selector, label, text, onCopied) {
	const pre = document.querySelector(selector);
	pre.textContent = text;
	pre.after(copyButton(words, label, pre, () => text, onCopied));
}

function showLimits(client) {
	const limits = [];
	if (client.ip_allowlist?.length > 0) limits.push(words.allowlist(client.ip_allowlist.join(", ")));
	if (client.expires_at) {
		const day = new Date(client.expires_at).toLocaleString(locale, { dateStyle: "long", timeStyle: "short" });
		limits.push(words.expires(day));
	}
	const line = document.querySelector("#limits");
	line.textContent = limits.join(" ");
	line.hidden = limits.length === 0;
}

// Until the Secret is copied, the browser asks before the page goes.
function holdBack(event) {
	event.preventDefault();
}

function letGo() {
	removeEventListener("beforeunload", holdBack);
}

function environment(client) {
	const values = {
		LK_BASE_URL: location.origin,
		LK_TENANT_ID: client.tenant_id,
		LK_APP_ID: client.app_id,
		LK_API_KEY: client.api_key,
		LK_SECRET: client.secret,
	};
	return Object.entries(values)
		.map(([name, value]) => `export ${name}='${String(value).replaceAll("'", "'\\''")}'`)
		.join("\n");
}

const CURL_CALL = `target=/api/v1/external/whoami
timestamp=$(date +%s)
nonce=$(openssl rand -hex 16)
body_hash=$(printf '' | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s\\n%s\\n%s\\n%s' \\
  V1-HMAC-SHA256 GET "$target" \\
  "$LK_TENANT_ID" "$LK_APP_ID" "$LK_API_KEY" \\
  "$timestamp" "$nonce" "$body_hash" |
  openssl dgst -sha256 -hmac "$LK_SECRET" -r | cut -d' ' -f1)
curl "$LK_BASE_URL$target" \\
  -H "X-Tenant-ID: $LK_TENANT_ID" \\
  -H "X-App-ID: $LK_APP_ID" \\
  -H "X-API-Key: $LK_API_KEY" \\
  -H "X-Timestamp: $timestamp" \\
  -H "X-Nonce: $nonce" \\
  -H "X-Signature: $signature"`;
