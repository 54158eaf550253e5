/** The sign-in page, from which a person comes back to `url`. */
export function signInPath({ pathname, search }: URL): string {
  return `/signin?callbackUrl=${encodeURIComponent(pathname + search)}`
}
