// The import rule: which room may know which (docs/architecture.md draws it).
const feature = "^src/features/([^/]+)/";

module.exports = {
	forbidden: [
		{ name: "no-circles", severity: "error", from: {}, to: { circular: true } },
		{
			name: "no-orphans",
			severity: "error",
			from: { orphan: true, path: "^src", pathNot: "\\.test\\.ts$|^src/main\\.ts$" },
			to: {},
		},
		{
			name: "kernel-knows-nobody",
			severity: "error",
			from: { path: "^src/kernel/" },
			to: { path: "^src/", pathNot: "^src/kernel/" },
		},
		{
			name: "toolkit-knows-kernel",
			severity: "error",
			from: { path: "^src/(crypto|config|http)/" },
			to: { path: "^src/", pathNot: "^src/(kernel|$1)/" },
		},
		{
			name: "features-know-kernel-crypto-and-models",
			severity: "error",
			from: { path: feature },
			to: {
				path: "^src/",
				pathNot: "^src/(kernel|crypto|http)/|^src/features/$1/|^src/features/[^/]+/model\\.ts$",
			},
		},
		{
			name: "only-endpoints-and-guards-know-http",
			severity: "error",
			from: { path: feature, pathNot: "(endpoints|-wire|-guard)\\.ts$|\\.test\\.ts$" },
			to: { path: "^src/http/" },
		},
		{
			name: "models-know-kernel",
			severity: "error",
			from: { path: "^src/features/[^/]+/model\\.ts$" },
			to: { path: "^src/", pathNot: "^src/kernel/|^src/features/[^/]+/model\\.ts$" },
		},
		{
			name: "adapters-know-ports",
			severity: "error",
			from: { path: "^src/adapters/([^/]+)/" },
			to: {
				path: "^src/",
				pathNot: "^src/kernel/|^src/features/[^/]+/model\\.ts$|^src/adapters/$1/|^src/http/rate-limit\\.ts$",
			},
		},
		{
			name: "jobs-know-features",
			severity: "error",
			from: { path: "^src/jobs/" },
			to: { path: "^src/", pathNot: "^src/(kernel|features|jobs|crypto)/" },
		},
		{
			name: "app-knows-all-but-cli",
			severity: "error",
			from: { path: "^src/app/" },
			to: { path: "^src/(cli/|main\\.ts)" },
		},
		{
			name: "cli-starts-app",
			severity: "error",
			from: { path: "^src/(cli/|main\\.ts)" },
			to: { path: "^src/", pathNot: "^src/(app|config|kernel|cli|crypto)/" },
		},
		{
			name: "fastify-in-http-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/http/|\\.test\\.ts$" },
			to: { path: "node_modules/(fastify|@fastify)/" },
		},
		{
			name: "sqlite-in-sql-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/adapters/sql/|\\.test\\.ts$" },
			to: { path: "^node:sqlite$|^sqlite$" },
		},
		{
			name: "pg-in-sql-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/adapters/sql/|\\.test\\.ts$" },
			to: { path: "node_modules/pg/" },
		},
		{
			name: "nodemailer-in-mail-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/adapters/mail/|\\.test\\.ts$" },
			to: { path: "node_modules/nodemailer/" },
		},
		{
			name: "ioredis-in-redis-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/adapters/redis/|\\.test\\.ts$" },
			to: { path: "node_modules/ioredis/" },
		},
		{
			name: "openid-client-in-providers-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/adapters/providers/|\\.test\\.ts$" },
			to: { path: "node_modules/openid-client/" },
		},
		{
			name: "second-factors-in-crypto-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/crypto/|\\.test\\.ts$" },
			to: { path: "node_modules/(otpauth|@simplewebauthn)/" },
		},
		{
			name: "node-crypto-in-crypto-only",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/crypto/|^src/kernel/id\\.ts$|\\.test\\.ts$" },
			to: { path: "^(node:)?crypto$" },
		},
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: "tsconfig.json" },
		doNotFollow: { path: "node_modules" },
	},
};
