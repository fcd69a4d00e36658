// A program with the official MCP client and its cross-app provider: it carries its user from the company's sign-in to a
// foreign MCP server.

import {
	Client,
	CrossAppAccessProvider,
	discoverAndRequestJwtAuthGrant,
	StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

const { MCP_URL, COMPANY, ID_TOKEN, EXPECTED, HERE, HERE_SECRET, THERE, THERE_SECRET } = process.env;

const authProvider = new CrossAppAccessProvider({
	clientId: THERE,
	clientSecret: THERE_SECRET,
	expectedIssuer: EXPECTED,
	async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
		const grant = await discoverAndRequestJwtAuthGrant({
			idpUrl: COMPANY,
			audience: authorizationServerUrl,
			resource: resourceUrl,
			idToken: ID_TOKEN,
			clientId: HERE,
			clientSecret: HERE_SECRET,
			scope,
			fetchFn,
		});
		return grant.jwtAuthGrant;
	},
});

try {
	const client = new Client({ name: "cross-app", version: "1.0.0" });
	await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider }));
	const tools = (await client.listTools()).tools.map(({ name }) => name);
	const { content } = await client.callTool({ name: "add_task", arguments: { title: "Milk" } });
	await client.close();
	process.send({ tools, added: JSON.parse(content[0].text) });
} catch (error) {
	process.send({ error: `${error.name}: ${error.message} ${error.cause ?? ""}` });
}
process.disconnect();
