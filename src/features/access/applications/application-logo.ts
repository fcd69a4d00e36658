// Sets and removes the uploaded logo of an application.

import { sha256Hex } from "../../../crypto/digest.ts";
import type { Application } from "../../../domain/application.ts";
import type { Caller } from "../../../domain/caller.ts";
import { imageNotFound, imageUrl, parseImage } from "../../../domain/image.ts";
import { isProgramError } from "../../../domain/program.ts";
import type { Needs } from "../../platform.ts";
import { changeApplication, getApplication } from "./manage-application.ts";

type Needed = Needs<"applications" | "images" | "audit", "clock" | "publicUrl">;

/** An application has one logo. */
const VARIANT = "light";

/** @throws AppError `request.invalid` (`image`), `application.not_found`, `application.is_program`. */
export async function putApplicationLogo(
	{ db, clock, publicUrl }: Needed,
	id: string,
	bytes: Buffer,
	caller: Caller,
): Promise<Application> {
	const image = parseImage(bytes);
	const digest = sha256Hex(image);
	const { tenantId } = caller;
	const now = clock();
	return db.transaction(async (stores) => {
		const { kind } = await getApplication(stores.applications, tenantId, id);
		// A reviewed program has no logo: it could imitate another one.
		if (kind === "program") throw isProgramError();
		const content = image.toString("base64");
		const subject = { subjectId: id, variant: VARIANT, tenantId } as const;
		await stores.images.put({ ...subject, digest, content, updatedAtMs: now });
		return changeApplication(stores, id, { logoUrl: imageUrl(publicUrl, digest) }, caller, now);
	});
}

/** @throws AppError `application.not_found`, `image.not_found`. */
export async function deleteApplicationLogo(
	{ db, clock }: Needed,
	id: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async (stores) => {
		await getApplication(stores.applications, caller.tenantId, id);
		if (!(await stores.images.remove(caller.tenantId, id, VARIANT))) throw imageNotFound();
		await changeApplication(stores, id, { logoUrl: "" }, caller, clock());
	});
}
