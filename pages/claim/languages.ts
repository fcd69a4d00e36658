// The languages of the code in docs/signing.md, those with a package first: file name (from the first line) and the command that runs it.

interface CodeLanguage {
	/** The language of the code block in the guide; `-package` if it uses our package. */
	readonly key: string;
	readonly label: string;
	/** Undefined: pasted into a shell. */
	readonly file?: string;
	readonly run?: string;
}

export const LANGUAGES: readonly CodeLanguage[] = [
	{ key: "js-package", label: "Node.js", file: "first-call.mjs", run: "node first-call.mjs" },
	{ key: "python-package", label: "Python", file: "first_call.py", run: "python3 first_call.py" },
	{ key: "go-package", label: "Go", file: "first_call.go", run: "go run first_call.go" },
	{ key: "sh", label: "curl" },
	{ key: "js", label: "Node.js", file: "signed.mjs", run: "node signed.mjs" },
	{ key: "python", label: "Python", file: "signed.py", run: "python3 signed.py" },
	{ key: "go", label: "Go", file: "signed.go", run: "go run signed.go" },
	{ key: "java", label: "Java", file: "Signed.java", run: "java Signed.java" },
	{ key: "php", label: "PHP", file: "signed.php", run: "php signed.php" },
	{ key: "ruby", label: "Ruby", file: "signed.rb", run: "ruby signed.rb" },
	{ key: "csharp", label: "C#", file: "signed.cs", run: "dotnet run signed.cs" },
];
