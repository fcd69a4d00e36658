// Starts the command line.

import { runCommand } from "./cli/command.ts";

await runCommand(process.argv);
