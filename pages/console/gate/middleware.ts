// The frameworks of docs/packages.md with middleware for a gate: their files, and the commands that install and run them.

export interface Middleware {
	readonly key: string;
	readonly label: string;
	/** The language, as a proper name. */
	readonly text: string;
	/** Anchor of its section in the guide. */
	readonly anchor: string;
	/** Of the package that contains the middleware. */
	readonly package: "js-package" | "python-package" | "go-package";
	/** As named in the first line of each code block. */
	readonly files: readonly string[];
	/** Installs the framework, unless it is there already. */
	readonly install?: string;
	/** A shell command; undefined if the framework has its own. */
	readonly run?: string;
}

const NODE = { text: "Node.js", package: "js-package" } as const;
const PYTHON = { text: "Python", package: "python-package" } as const;
const GO = { text: "Go", package: "go-package" } as const;

export const MIDDLEWARE = [
	{
		...NODE,
		key: "express",
		label: "Express",
		anchor: "express",
		files: ["express-gate.mjs"],
		install: "npm install express",
		run: "node express-gate.mjs",
	},
	{
		...NODE,
		key: "fastify",
		label: "Fastify",
		anchor: "fastify",
		files: ["fastify-gate.mjs"],
		install: "npm install fastify",
		run: "node fastify-gate.mjs",
	},
	{
		...NODE,
		key: "hono",
		label: "Hono",
		anchor: "hono",
		files: ["hono-gate.mjs"],
		install: "npm install hono @hono/node-server",
		run: "node hono-gate.mjs",
	},
	{
		...NODE,
		key: "next",
		label: "Next.js",
		anchor: "nextjs",
		files: ["app/orders/gate.ts", "app/orders/route.ts", "app/orders/[id]/route.ts"],
	},
	{
		...PYTHON,
		key: "fastapi",
		label: "FastAPI",
		anchor: "fastapi",
		files: ["fastapi_gate.py"],
		install: "pip install fastapi uvicorn",
		run: "uvicorn fastapi_gate:app --port $PORT",
	},
	{
		...PYTHON,
		key: "flask",
		label: "Flask",
		anchor: "flask",
		files: ["flask_gate.py"],
		install: "pip install flask",
		run: "flask --app flask_gate run --port $PORT",
	},
	{
		...GO,
		key: "net-http",
		label: "net/http",
		anchor: "go-nethttp",
		files: ["net_http_gate.go"],
		run: "go run net_http_gate.go",
	},
	{
		...GO,
		key: "chi",
		label: "chi",
		anchor: "go-chi",
		files: ["chi_gate.go"],
		install: "go get github.com/go-chi/chi/v5",
		run: "go run chi_gate.go",
	},
] as const satisfies readonly Middleware[];
