// The frameworks of docs/protect-your-application.md: their files, and the commands that install and run them.

export interface Framework {
	readonly key: string;
	readonly label: string;
	/** The language, as a proper name. */
	readonly text: string;
	/** Anchor of its section in the guide. */
	readonly anchor: string;
	/** As named in the first line of each code block. */
	readonly files: readonly string[];
	readonly callback: {
		readonly path: string;
		/** The framework sets the path; otherwise the code uses the path of the redirect URI. */
		readonly isFixed: boolean;
	};
	readonly install?: string;
	/** A shell command on a port; undefined if the framework has its own command. */
	readonly run?: (port: string) => string;
	/** Variable that holds the secret of its own cookies. */
	readonly cookieSecret?: string;
}

const CALLBACK = { path: "/callback", isFixed: false } as const;

export const FRAMEWORKS = [
	{
		key: "express",
		label: "Express",
		text: "Node.js",
		anchor: "express",
		files: ["express.mjs"],
		callback: CALLBACK,
		install: "npm install express express-session openid-client",
		run: () => "node express.mjs",
		cookieSecret: "SESSION_SECRET",
	},
	{
		key: "fastify",
		label: "Fastify",
		text: "Node.js",
		anchor: "fastify",
		files: ["fastify.mjs"],
		callback: CALLBACK,
		install: "npm install fastify @fastify/cookie @fastify/session openid-client",
		run: () => "node fastify.mjs",
		cookieSecret: "SESSION_SECRET",
	},
	{
		key: "next",
		label: "Next.js",
		text: "Node.js",
		anchor: "nextjs",
		files: ["auth.ts", "app/api/auth/[...nextauth]/route.ts", "app/orders/page.tsx"],
		callback: { path: "/api/auth/callback/latchkey", isFixed: true },
		install: "npm install next-auth@beta",
		cookieSecret: "AUTH_SECRET",
	},
	{
		key: "spring",
		label: "Spring Boot",
		text: "Java",
		anchor: "spring-boot",
		files: ["application.yml", "SecurityConfiguration.java"],
		callback: { path: "/login/oauth2/code/latchkey", isFixed: true },
	},
	{
		key: "fastapi",
		label: "FastAPI",
		text: "Python",
		anchor: "fastapi",
		files: ["protected.py"],
		callback: CALLBACK,
		install: "pip install authlib fastapi httpx itsdangerous uvicorn",
		run: (port) => `uvicorn protected:app --port ${port}`,
		cookieSecret: "SESSION_SECRET",
	},
	{
		key: "apache",
		label: "Apache",
		text: "mod_auth_openidc",
		anchor: "apache-as-a-reverse-proxy",
		files: ["protected.conf"],
		callback: CALLBACK,
		install: "apt-get install apache2 libapache2-mod-auth-openidc",
		cookieSecret: "SESSION_SECRET",
	},
] as const satisfies readonly Framework[];
