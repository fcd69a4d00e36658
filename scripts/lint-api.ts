// `npm run lint:api`: applies the Spectral OWASP rules to the OpenAPI document. Prints the findings and fails if
// there are any.

import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import * as owaspModule from "@stoplight/spectral-owasp-ruleset";
import { describeApi } from "../test/docs/openapi-document.ts";
import { IGNORED_RULES, REQUEST_RULES } from "./api-lint-rules.ts";

/** The package is CommonJS: its types describe the module, not what `import` returns. */
const owasp = (owaspModule as unknown as { readonly default: { readonly rules: Record<string, object> } })
	.default;

/** One line per finding: rule, path, message. */
export async function lintApi(): Promise<string[]> {
	const linter = new spectral.Spectral();
	linter.setRuleset(rules() as RulesetDefinition);
	const findings = await linter.run((await describeApi()) as unknown as Record<string, unknown>);
	return findings.map(({ code, path, message }) => `${code} ${path.join("/")}: ${message}`);
}

function rules(): object {
	const all = owasp.rules;
	for (const name of [...Object.keys(IGNORED_RULES), ...Object.keys(REQUEST_RULES)])
		if (!Object.hasOwn(all, name)) throw new Error(`scripts/api-lint-rules.ts: unknown rule ${name}`);
	const ignored = Object.keys(IGNORED_RULES).map((name) => [name, "off"]);
	const narrowed = Object.entries(REQUEST_RULES).map(([name, given]) => [name, { ...all[name], given }]);
	return { extends: [[owasp, "all"]], rules: Object.fromEntries([...ignored, ...narrowed]) };
}

if (import.meta.main) {
	const findings = await lintApi();
	for (const finding of findings) console.log(finding);
	console.log(`${findings.length} findings; ${Object.keys(IGNORED_RULES).length} rules are ignored`);
	process.exitCode = findings.length === 0 ? 0 : 1;
}
