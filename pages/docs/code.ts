// Generates code for a call in curl, JavaScript and Python, without packages. Signed calls use `signed()` of the guide.

import type { Call } from "./call.ts";

export interface Snippet {
	readonly key: string;
	readonly label: string;
	readonly code: string;
}

interface CodeOptions {
	readonly baseUrl: string;
	readonly security: "none" | "bearer" | "signed";
	/** False: the response has no JSON body. */
	readonly hasResponse: boolean;
	/** Comment on the source of `signed()`. */
	readonly signedNote: string;
}

/** The access token or admin key is read from the environment variable `TOKEN`. */
export function codeOf(call: Call, options: CodeOptions): readonly [Snippet, ...Snippet[]] {
	const isSigned = options.security === "signed";
	return [
		{ key: "curl", label: "curl", code: isSigned ? signedShell(call, options) : curl(call, options) },
		{
			key: "js",
			label: "JavaScript",
			code: isSigned ? signedJavaScript(call, options) : javaScript(call, options),
		},
		{ key: "python", label: "Python", code: isSigned ? signedPython(call, options) : python(call, options) },
	];
}

function curl({ method, target, headers, body }: Call, { baseUrl, security }: CodeOptions): string {
	const lines = [
		`curl --silent --show-error${method === "GET" ? "" : ` --request ${method}`}`,
		quoted(baseUrl + target),
		...(security === "bearer" ? ['--header "Authorization: Bearer $TOKEN"'] : []),
		...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
		...(body === undefined
			? []
			: ["--header 'Content-Type: application/json'", `--data-raw ${quoted(body)}`]),
	];
	return lines.join(" \\\n  ");
}

function javaScript(
	{ method, target, headers, body }: Call,
	{ baseUrl, security, hasResponse }: CodeOptions,
): string {
	const fields = [
		...(security === "bearer" ? [`Authorization: \`Bearer \${process.env.TOKEN}\``] : []),
		...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
		...(body === undefined ? [] : ['"Content-Type": "application/json"']),
	];
	const options = [
		...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
		...(fields.length === 0 ? [] : [`headers: {\n    ${fields.join(",\n    ")},\n  }`]),
		...(body === undefined ? [] : [`body: JSON.stringify(${indented(pretty(body))})`]),
	];
	const url = JSON.stringify(baseUrl + target);
	const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n  ${options.join(",\n  ")},\n})`;
	const lines = [
		`const response = await ${call};`,
		`if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);`,
		...(hasResponse ? ["console.log(await response.json());"] : []),
	];
	return lines.join("\n");
}

function python(
	{ method, target, headers, body }: Call,
	{ baseUrl, security, hasResponse }: CodeOptions,
): string {
	const fields = [
		...(security === "bearer" ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
		...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
		...(body === undefined ? [] : ['"Content-Type": "application/json"']),
	];
	const modules = [
		...(body !== undefined || hasResponse ? ["json"] : []),
		...(security === "bearer" ? ["os"] : []),
		"urllib.request",
	];
	const parts = [
		JSON.stringify(baseUrl + target),
		`method=${JSON.stringify(method)}`,
		...(fields.length === 0 ? [] : [`headers={\n        ${fields.join(",\n        ")},\n    }`]),
		...(body === undefined ? [] : [`data=json.dumps(${indented(pythonLiteral(body), "    ")}).encode()`]),
	];
	return [
		`import ${modules.join(", ")}\n`,
		`request = urllib.request.Request(\n    ${parts.join(",\n    ")},\n)`,
		"with urllib.request.urlopen(request, timeout=10) as response:",
		hasResponse ? "    print(json.load(response))" : "    print(response.status)",
	].join("\n");
}

function signedShell({ method, target, body }: Call, { signedNote }: CodeOptions): string {
	const words = ["signed", method, quoted(target), ...(body === undefined ? [] : [quoted(body)])];
	return `# ${signedNote}\n${words.join(" ")}`;
}

function signedJavaScript({ method, target, body }: Call, { signedNote }: CodeOptions): string {
	const input = [method, target].map((text) => JSON.stringify(text));
	if (body !== undefined) input.push(pretty(body));
	return `// ${signedNote}\nconsole.log(await signed(${input.join(", ")}));`;
}

function signedPython({ method, target, body }: Call, { signedNote }: CodeOptions): string {
	const input = [method, target].map((text) => JSON.stringify(text));
	if (body !== undefined) input.push(pythonLiteral(body));
	return `# ${signedNote}\nprint(signed(${input.join(", ")}))`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

function pretty(json: string): string {
	return JSON.stringify(JSON.parse(json), null, 2);
}

function indented(text: string, by = "  "): string {
	return text.replaceAll("\n", `\n${by}`);
}

/** JSON is valid Python except for three names. The names inside quoted text are kept. */
function pythonLiteral(json: string): string {
	const names = { true: "True", false: "False", null: "None" } as const;
	return JSON.stringify(JSON.parse(json), null, 4).replaceAll(
		/"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g,
		(whole, name?: keyof typeof names) => (name === undefined ? whole : names[name]),
	);
}
