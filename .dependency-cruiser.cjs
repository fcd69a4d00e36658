// Which folder may import which; docs/architecture.md explains the rules.
const wing = "^src/features/(identity|access|partners|record)/";
const wireFiles = "/(endpoints|wire|[^/]+-(endpoints|wire|guard))\\.ts$";
const only = (name, from, packages) => ({
	name,
	severity: "error",
	from: { path: "^src/", pathNot: `${from}|\\.test\\.ts$` },
	to: { path: packages },
});

module.exports = {
	forbidden: [
		{ name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
		// The service sends guide.js as a file.
		{
			name: "no-orphans",
			severity: "error",
			from: { orphan: true, path: "^src", pathNot: "\\.(test|d)\\.ts$|^src/(main\\.ts|pages/guide\\.js)$" },
			to: {},
		},
		{
			name: "browser-code-imports-no-server-code",
			severity: "error",
			from: { path: "^pages/" },
			to: { path: "^(src|test|bench|scripts)/" },
		},
		{
			name: "server-code-imports-no-browser-code",
			severity: "error",
			from: { path: "^src/" },
			to: { path: "^pages/" },
		},
		{
			name: "packages-import-only-themselves",
			severity: "error",
			from: { path: "^packages/" },
			to: { path: "^(src|pages|test|bench|scripts)/" },
		},
		{
			name: "the-service-imports-packages-by-their-index",
			severity: "error",
			from: { path: "^(src|pages)/" },
			to: { path: "^packages/", pathNot: "^packages/(bcrypt-lanes|demo)/src/index\\.ts$" },
		},
		{
			name: "kernel-imports-nothing",
			severity: "error",
			from: { path: "^src/kernel/" },
			to: { path: "^src/", pathNot: "^src/kernel/" },
		},
		{
			name: "ground-imports-kernel",
			severity: "error",
			from: { path: "^src/(crypto|config|http|domain)/" },
			to: { path: "^src/", pathNot: "^src/(kernel|$1)/" },
		},
		{
			name: "pages-import-the-toolkit",
			severity: "error",
			from: { path: "^src/pages/" },
			to: { path: "^src/", pathNot: "^src/(kernel|http|pages)/" },
		},
		{
			name: "wings-import-the-ground",
			severity: "error",
			from: { path: wing },
			to: {
				path: "^src/",
				pathNot: `^src/(kernel|crypto|http|domain)/|^src/features/($1/|platform\\.ts$)|^src/features/.*${wireFiles}`,
			},
		},
		{
			name: "platform-imports-the-ground",
			severity: "error",
			from: { path: "^src/features/platform\\.ts$" },
			to: { path: "^src/", pathNot: "^src/(kernel|crypto|domain)/" },
		},
		{
			name: "only-endpoint-files-import-wire-of-another-wing",
			severity: "error",
			from: { path: wing, pathNot: `${wireFiles}|\\.test\\.ts$` },
			to: { path: "^src/features/", pathNot: "^src/features/($1/|platform\\.ts$)" },
		},
		{
			name: "of-another-wing-only-wire",
			severity: "error",
			from: { path: wing },
			to: { path: "^src/features/", pathNot: "^src/features/($1/|platform\\.ts$)|(/|-)wire\\.ts$" },
		},
		{
			name: "only-endpoints-and-guards-import-http",
			severity: "error",
			from: { path: wing, pathNot: `${wireFiles}|\\.test\\.ts$` },
			to: { path: "^src/http/" },
		},
		{
			name: "adapters-import-the-ground",
			severity: "error",
			from: { path: "^src/adapters/([^/]+)/", pathNot: "\\.test\\.ts$" },
			to: {
				path: "^src/",
				pathNot:
					"^src/(kernel|domain)/|^src/adapters/$1/|^src/adapters/sql/|^src/adapters/[^/]+\\.ts$|^src/http/run/rate-limit\\.ts$",
			},
		},
		{
			name: "shared-adapters-import-kernel",
			severity: "error",
			from: { path: "^src/adapters/[^/]+\\.ts$" },
			to: { path: "^src/", pathNot: "^src/kernel/|^src/adapters/[^/]+\\.ts$" },
		},
		{
			name: "only-databases-import-sql",
			severity: "error",
			from: {
				path: "^src/adapters/",
				pathNot: "^src/adapters/(sql|sqlite|postgres|stores|copy|migrations|oidc)/",
			},
			to: { path: "^src/adapters/sql/" },
		},
		{
			name: "jobs-import-features",
			severity: "error",
			from: { path: "^src/jobs/" },
			to: { path: "^src/", pathNot: "^src/(kernel|crypto|domain|features|jobs)/" },
		},
		{
			name: "app-imports-no-operation",
			severity: "error",
			from: { path: "^src/app/" },
			to: { path: "^src/(ops|cli)/|^src/main\\.ts$" },
		},
		{
			name: "ops-import-no-command",
			severity: "error",
			from: { path: "^src/ops/" },
			to: { path: "^src/cli/|^src/main\\.ts$" },
		},
		{
			name: "commands-import-app-and-ops",
			severity: "error",
			from: { path: "^src/(cli/|main\\.ts)" },
			to: { path: "^src/", pathNot: "^src/(app|ops|config|kernel|cli|crypto)/" },
		},
		only("router-in-http-only", "^src/http/", "node_modules/find-my-way/"),
		only("sqlite-in-one-folder", "^src/adapters/sqlite/", "^node:sqlite$|^sqlite$"),
		only("pg-in-one-folder", "^src/adapters/postgres/", "node_modules/pg/"),
		only("nodemailer-in-one-folder", "^src/adapters/mail/", "node_modules/nodemailer/"),
		only("ioredis-in-one-folder", "^src/adapters/redis/", "node_modules/ioredis/"),
		only("opentelemetry-in-one-folder", "^src/adapters/telemetry/", "node_modules/@opentelemetry/"),
		only("oidc-provider-in-one-folder", "^src/adapters/oidc/", "node_modules/oidc-provider/"),
		only("openid-client-in-one-folder", "^src/adapters/providers/", "node_modules/openid-client/"),
		only("bcrypt-lanes-in-crypto-only", "^src/crypto/", "^packages/bcrypt-lanes/"),
		only("demo-in-its-command-only", "^src/cli/demo\\.ts$", "^packages/demo/"),
		only("second-factors-in-crypto-only", "^src/crypto/", "node_modules/(otpauth|@simplewebauthn)/"),
		only("node-crypto-in-crypto-only", "^src/crypto/|^src/kernel/id\\.ts$", "^(node:)?crypto$"),
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: "tsconfig.json" },
		doNotFollow: { path: "node_modules" },
	},
};
