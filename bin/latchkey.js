#!/usr/bin/env node
// Finds the program: TypeScript as it is in a checkout, compiled where it was installed as a package (Node strips
// no types under node_modules).
import module from "node:module";

const [major] = process.versions.node.split(".").map(Number);
if (major < 24) {
	console.error(
		`latchkey needs Node 24 or later, this is ${process.version}: run bin/latchkey or npm start, which use the Node that npm installed`,
	);
	process.exit(1);
}
module.enableCompileCache();
const installed = import.meta.url.includes("/node_modules/");
await import(installed ? "../dist/main.js" : "../src/main.ts");
