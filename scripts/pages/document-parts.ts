// Bundles a document into few files. The bundler combines modules that the same entries use, so the entry and each
// part import everything in the document's script. The words of the first view become one file per language.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Loader, Plugin } from "esbuild";
import type { DocumentModules } from "./document-modules.ts";

const NAMESPACE = "document-parts";
const OWN_SCRIPT = "own-script";
const FIRST_WORDS = "first-words/";

export function documentParts(modules: DocumentModules, entry: string, root: string): Plugin {
	const words = join(root, "pages/words");
	const languages = languagesIn(words);
	const later = modules.laterAreas.flatMap((area) => languages.map((one) => join(words, area, `${one}.ts`)));
	const parts = [entry, ...modules.parts].map((file) => join(root, file)).concat(later);
	const importAll = modules.own.map((file) => importOf(join(root, file))).join("");
	return {
		name: NAMESPACE,
		setup({ onLoad, onResolve }) {
			onResolve({ filter: /^(?:own-script$|first-words\/)/ }, ({ path }) => ({ path, namespace: NAMESPACE }));
			onLoad({ filter: /^own-script$/, namespace: NAMESPACE }, () => ({
				contents: importAll,
				resolveDir: root,
			}));
			onLoad({ filter: /^first-words\//, namespace: NAMESPACE }, ({ path }) => ({
				contents: firstWords(path.slice(FIRST_WORDS.length), modules.firstAreas),
				resolveDir: words,
			}));
			onLoad({ filter: /\/pages\/words\/areas\.ts$/ }, () => ({
				contents: areas(modules, languages),
				resolveDir: words,
			}));
			onLoad({ filter: filterOf(parts) }, ({ path }) => ({
				contents: `${readFileSync(path, "utf8")}\n${importOf(OWN_SCRIPT)}`,
				loader: extname(path).slice(1) as Loader,
			}));
		},
	};
}

/** In place of `pages/words/areas.ts`: the areas that the document uses, those of the first view from one file. */
function areas({ firstAreas, laterAreas }: DocumentModules, languages: readonly string[]): string {
	const files = languages.map(
		(language) => `${JSON.stringify(tagOf(language))}: () => import("${FIRST_WORDS}${language}")`,
	);
	const first = firstAreas.map((area) => `"${area}": first("${area}")`);
	const later = laterAreas.map((area) => {
		const loads = languages.map((one) => `"${tagOf(one)}": () => import("./${area}/${one}.ts")`);
		return `"${area}": { ${loads.join(", ")} }`;
	});
	return `
		const files = { ${files.join(", ")} };
		const first = (area) => Object.fromEntries(Object.entries(files).map(([language, load]) =>
			[language, () => load().then((words) => ({ default: words.default[area] }))]));
		export const AREAS = { ${[...first, ...later].join(", ")} };
		export const FIRST_AREAS = ${JSON.stringify(firstAreas)};`;
}

function firstWords(language: string, firstAreas: readonly string[]): string {
	const imports = firstAreas.map((area, index) => `import words${index} from "./${area}/${language}.ts";`);
	const exported = firstAreas.map((area, index) => `"${area}": words${index}`);
	return `${imports.join("\n")}\n${importOf(OWN_SCRIPT)}\nexport default { ${exported.join(", ")} };`;
}

/** File names, such as `zh-cn`. */
function languagesIn(words: string): string[] {
	return readdirSync(join(words, "ui")).map((file) => file.slice(0, -extname(file).length));
}

function tagOf(language: string): string {
	return new Intl.Locale(language).baseName;
}

function importOf(path: string): string {
	return `import ${JSON.stringify(path)};`;
}

function filterOf(files: readonly string[]): RegExp {
	return new RegExp(`^(?:${files.map((file) => file.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})$`);
}
