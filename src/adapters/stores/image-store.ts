// Uploaded logos in SQL.

import type { ImageStore } from "../../domain/image.ts";
import type { Queries } from "../sql/queries.ts";
import { images } from "../sql/tables/platform-tables.ts";

const put = images.insertWith({
	onConflict: `(subject_id, variant) DO UPDATE SET digest = excluded.digest, content = excluded.content,
		updated_at = excluded.updated_at`,
});

export function createImageStore(queries: Queries): ImageStore {
	return {
		// Subjects with the same image have the same content.
		findByDigest: async (digest) => (await images.all(queries, "digest = $1 LIMIT 1", digest))[0],
		async put(image) {
			await put(queries, image);
		},
		remove: (tenantId, subjectId, variant) => images.deleteOne(queries, { subjectId, variant, tenantId }),
	};
}
