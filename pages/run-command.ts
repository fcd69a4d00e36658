// The shell command that runs a client with the variables of a saved file.

/** Exports the variables of the file, then runs the command, in any POSIX shell. */
export function runCommand(environmentFile: string, run?: string): string {
	const load = `set -a; . ./${environmentFile}; set +a`;
	return run === undefined ? load : `${load}; ${run}`;
}
