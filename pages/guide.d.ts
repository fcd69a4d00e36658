// The build extracts the code from the guides (scripts/pages/guide-code.ts).

/** Code by the language of its block; with a package, by `<language>-package`. */
declare module "*/docs/signing.md" {
	const programs: Readonly<Record<string, { readonly code: string; readonly install?: string }>>;
	export default programs;
}

/** The same, for clients that sign with a key. */
declare module "*/docs/signing.md?key" {
	const programs: Readonly<Record<string, { readonly code: string; readonly install?: string }>>;
	export default programs;
}

/** Code by the name of its file. */
declare module "*/docs/protect-your-application.md" {
	const files: Readonly<Record<string, string>>;
	export default files;
}

declare module "*/docs/no-secret-in-your-pipeline.md" {
	const files: Readonly<Record<string, string>>;
	export default files;
}

declare module "*/docs/packages.md" {
	const packages: {
		/** Code by the name of its file. */
		readonly files: Readonly<Record<string, string>>;
		/** By `<language>-package`. */
		readonly packages: Readonly<Record<string, { readonly code: string; readonly install?: string }>>;
		/** Commands that export the variables of a gate. */
		readonly variables: string;
	};
	export default packages;
}

/** The text of the file. */
declare module "*/deploy/gate/nginx.conf" {
	const text: string;
	export default text;
}
declare module "*/deploy/gate/Caddyfile" {
	const text: string;
	export default text;
}
declare module "*/deploy/gate/haproxy.cfg" {
	const text: string;
	export default text;
}
declare module "*/deploy/gate/latchkey-gate.lua" {
	const text: string;
	export default text;
}
declare module "*.yaml" {
	const text: string;
	export default text;
}
