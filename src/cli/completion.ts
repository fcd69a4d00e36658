// `latchkey completion`: prints a script for shell completion of commands, options, and the routes of `latchkey api`.

import type { Command } from "commander";
import { type ApiOperation, describeOperations } from "../app/api-operations.ts";
import { usageError } from "../kernel/start-error.ts";
import { shortPath } from "./api-help.ts";

/** The completions of a command. `place` holds its words after `latchkey`, such as `users list`; `""` is `latchkey` itself. */
interface Place {
	readonly place: string;
	readonly commands: readonly { readonly name: string; readonly description: string }[];
	readonly options: readonly string[];
	/** A route of `latchkey api`, whose `commands` are its fields. */
	readonly isRoute?: true;
}

const SCRIPTS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
	bash: (places) => `${candidates(places)}
_latchkey() {
	COMPREPLY=($(compgen -W "$(_latchkey_candidates "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _latchkey latchkey`,
	zsh: (places) => `#compdef latchkey
${candidates(places)}
_latchkey() {
	compadd -- \${=$(_latchkey_candidates "\${(@)words[2,CURRENT-1]}")} || _files
}
compdef _latchkey latchkey`,
	// The fields of every route would be ten times the rest: fish completes methods and paths.
	fish: (places) =>
		places
			.filter(({ isRoute }) => isRoute !== true)
			.flatMap(fishLines)
			.join("\n"),
};

/** @throws StartError (`usage`) for any shell other than bash, zsh, and fish. */
export function completionScript(program: Command, shell: string): string {
	const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
	if (script === undefined) throw usageError(`the shell must be one of ${Object.keys(SCRIPTS).join(", ")}`);
	const own = program.options.flatMap(({ long }) => long ?? []);
	const everywhere = own.filter((name) => name !== "--version");
	return script(placesOf(program, "", everywhere).flatMap(withRoutes));
}

const API = "api";

/** After `latchkey api`: the methods, then the paths, then the fields. */
function withRoutes(place: Place): Place[] {
	if (place.place !== API) return [place];
	const { options } = place;
	const operations = describeOperations().filter(({ isHere }) => isHere);
	const methods = [...Map.groupBy(operations, ({ method }) => method)];
	return [
		{ ...place, commands: methods.map(([name]) => ({ name, description: "" })) },
		...methods.flatMap(([method, those]) => [
			{
				place: `${API} ${method}`,
				commands: those.map(({ path, summary }) => ({ name: shortPath(path), description: summary })),
				options,
			},
			...those.map((operation) => ({
				place: `${API} ${method} ${shortPath(operation.path)}`,
				commands: fieldsOf(operation),
				options,
				isRoute: true as const,
			})),
		]),
	];
}

/** A secret is no argument. */
function fieldsOf({ fields = [], query }: ApiOperation): Place["commands"] {
	return [...fields, ...query]
		.filter(({ isSecret }) => !isSecret)
		.map(({ name }) => ({ name: `${name}=`, description: "" }));
}

function placesOf(command: Command, place: string, everywhere: readonly string[]): Place[] {
	const { commands } = command;
	const options = command.options.flatMap(({ long }) => long ?? []);
	const own = {
		place,
		commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
		options: [...new Set([...options, ...everywhere, "--help"])],
	};
	return [own, ...commands.flatMap((each) => placesOf(each, `${place} ${each.name()}`.trim(), everywhere))];
}

/** A function for bash and zsh that prints what may follow its arguments, the words after `latchkey`. */
function candidates(places: readonly Place[]): string {
	const lines = places.map(
		({ place, commands, options }) =>
			`\t\t"${place}") echo "${[...commands.map(({ name }) => name), ...options].join(" ")}" ;;`,
	);
	const known = places.flatMap(({ place }) => (place === "" ? [] : [`"${place}"`]));
	return `_latchkey_candidates() {
	local place="" word
	for word in "$@"; do
		case "\${place:+$place }$word" in
		${known.join("|")}) place="\${place:+$place }$word" ;;
		esac
	done
	case "$place" in
${lines.join("\n")}
	esac
}`;
}

/** Longer lists, such as those of paths, would be repeated for each of their words. */
const UNSEEN_MAX = 40;

function fishLines({ place, commands, options }: Place): string[] {
	const names = commands.map(({ name }) => name);
	const seen = place
		.split(" ")
		.filter((word) => word !== "")
		.map((word) => `__fish_seen_subcommand_from ${word}`);
	const unseen =
		names.length > 0 && names.length <= UNSEEN_MAX
			? [`not __fish_seen_subcommand_from ${names.join(" ")}`]
			: [];
	const when = (parts: readonly string[]): string =>
		parts.length === 0 ? "" : ` -n "${parts.join("; and ")}"`;
	return [
		...commands.map(
			({ name, description }) =>
				`complete -c latchkey -f${when([...seen, ...unseen])} -a '${name}' -d '${description.replaceAll(/['\\]/g, "")}'`,
		),
		...options.map((option) => `complete -c latchkey${when(seen)} -l ${option.slice(2)}`),
	];
}
