// The build extracts the code from the guides (scripts/pages/guide-code.ts).

/** Code by the language of its block. */
declare module "*/docs/signing.md" {
	const programs: Readonly<Record<string, string>>;
	export default programs;
}

/** Code by the name of its file. */
declare module "*/docs/protect-your-application.md" {
	const files: Readonly<Record<string, string>>;
	export default files;
}
