// The build takes the programs out of the guide (scripts/pages/guide-code.ts): code by the language of its block.
declare module "*/docs/signing.md" {
	const programs: Readonly<Record<string, string>>;
	export default programs;
}
