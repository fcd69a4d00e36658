// The fields of an access request and their limits, as the API has them.

/** In code points, after trimming. */
export const LIMITS = {
	applicant_name: 100,
	email: 254,
	company: 200,
	project_name: 200,
	purpose: 2000,
} as const;

export type RequestField = keyof typeof LIMITS;
export type RequestValues = Readonly<Record<RequestField, string>>;

export const NO_VALUES: RequestValues = {
	applicant_name: "",
	email: "",
	company: "",
	project_name: "",
	purpose: "",
};
