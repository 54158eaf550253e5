/** The sign-in page, from which a person comes back to `url`. */
export function signInPath({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return `/signin?callbackUrl=${encodeURIComponent(pathname + search)}`
}
