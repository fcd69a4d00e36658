// `latchkey completion`: prints a script for shell completion of commands and options.

import type { Command } from "commander";
import { StartError } from "../kernel/start-error.ts";

/** The completions of a command. `place` holds its words after `latchkey`, such as `users list`; `""` is `latchkey` itself. */
interface Place {
	readonly place: string;
	readonly commands: readonly { readonly name: string; readonly description: string }[];
	readonly options: readonly string[];
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
	fish: (places) => places.flatMap(fishLines).join("\n"),
};

/** @throws StartError (`usage`) for any shell other than bash, zsh, and fish. */
export function completionScript(program: Command, shell: string): string {
	const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
	if (script === undefined)
		throw new StartError(`the shell must be one of ${Object.keys(SCRIPTS).join(", ")}`, { kind: "usage" });
	const own = program.options.flatMap(({ long }) => long ?? []);
	return script(
		placesOf(
			program,
			"",
			own.filter((name) => name !== "--version"),
		),
	);
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

function fishLines({ place, commands, options }: Place): string[] {
	const names = commands.map(({ name }) => name);
	const seen = place
		.split(" ")
		.filter((word) => word !== "")
		.map((word) => `__fish_seen_subcommand_from ${word}`);
	const unseen = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(" ")}`] : [];
	const when = (parts: readonly string[]): string =>
		parts.length === 0 ? "" : ` -n "${parts.join("; and ")}"`;
	return [
		...commands.map(
			({ name, description }) =>
				`complete -c latchkey -f${when([...seen, ...unseen])} -a ${name} -d '${description.replaceAll(/['\\]/g, "")}'`,
		),
		...options.map((option) => `complete -c latchkey${when(seen)} -l ${option.slice(2)}`),
	];
}
