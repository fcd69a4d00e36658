// Where the people of a tenant sign in.

export function signInAddress({ slug }: { readonly slug: string }): string {
	return slug === "default" ? `${location.origin}/sign-in` : `${location.origin}/sign-in?tenant=${slug}`;
}
