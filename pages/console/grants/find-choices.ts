// Searches of people, groups and applications by name.

import { call } from "../../api/client.ts";
import type { Found } from "./choose-field.tsx";

export async function findPeople(q: string, page_size: number, signal: AbortSignal): Promise<Found> {
	const { data, total } = await call("GET /users", { query: { q, page_size }, signal });
	const choices = data.map(({ id, username, display_name, email }) => ({
		id,
		name: display_name || username,
		detail: `${username} · ${email}`,
	}));
	return { choices, total };
}

const finderOf =
	(route: "GET /groups" | "GET /applications") =>
	async (q: string, page_size: number, signal: AbortSignal): Promise<Found> => {
		const { data, total } = await call(route, { query: { q, page_size }, signal });
		const choices = data.map(({ id, name, description }) => ({ id, name, detail: description || undefined }));
		return { choices, total };
	};

export const findGroups = finderOf("GET /groups");
export const findApplications = finderOf("GET /applications");
