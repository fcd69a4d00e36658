// A program with an official MCP client, which the test drives by messages. It plays no browser.

const { Client, StreamableHTTPClientTransport } =
	process.env.SDK === "1"
		? {
				...(await import("@modelcontextprotocol/sdk/client/index.js")),
				...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
			}
		: await import("@modelcontextprotocol/client");

const { MCP_URL, DOCUMENT, REDIRECT_URI } = process.env;
let information;
let tokens;
let verifier;
let authorization;

const authProvider = {
	redirectUrl: REDIRECT_URI,
	clientMetadataUrl: DOCUMENT,
	clientMetadata: {
		client_name: "Example Agent",
		redirect_uris: [REDIRECT_URI],
		grant_types: ["authorization_code", "refresh_token"],
		response_types: ["code"],
		token_endpoint_auth_method: "none",
	},
	clientInformation: () => information,
	saveClientInformation: (saved) => {
		information = saved;
	},
	tokens: () => tokens,
	saveTokens: (saved) => {
		tokens = saved;
	},
	redirectToAuthorization: (url) => {
		authorization = url.href;
	},
	saveCodeVerifier: (saved) => {
		verifier = saved;
	},
	codeVerifier: () => verifier,
};

let transport;
let client;
async function connect() {
	transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider });
	client = new Client({ name: "example-agent", version: "1.0.0" });
	await client.connect(transport);
	return (await client.listTools()).tools.map(({ name }) => name);
}

const actions = {
	connect,
	/** Redeems the code of a redirect, then connects. */
	async finish(url) {
		const { searchParams } = new URL(url);
		await transport.finishAuth(process.env.SDK === "1" ? searchParams.get("code") : searchParams);
		return await connect();
	},
	async call({ name, arguments: given }) {
		const { content } = await client.callTool({ name, arguments: given });
		return JSON.parse(content[0].text);
	},
	/** The server refuses the token as if it had expired. */
	expire() {
		tokens = { ...tokens, access_token: "expired" };
	},
	tokens: () => tokens,
};

process.on("message", async ({ action, value }) => {
	authorization = undefined;
	try {
		const result = await actions[action](value);
		process.send({ result, authorization });
	} catch (error) {
		process.send({ error: `${error.name}: ${error.message}`, authorization });
	}
});
process.send({ result: "ready" });
