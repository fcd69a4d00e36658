// Letters that stand for a framework in a list: no logos, which are trademarks.

const MARKS: Readonly<Record<string, string>> = {
	apache: "Ap",
	chi: "Ch",
	express: "Ex",
	fastapi: "Fa",
	fastify: "Fy",
	flask: "Fl",
	hono: "Ho",
	"net-http": "Go",
	next: "Nx",
	spring: "Sb",
};

export function markOf(framework: string): string | undefined {
	return MARKS[framework];
}
