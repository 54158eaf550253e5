import * as paths from '$app/paths'

/**
 * The path of one of the app's own pages, below Kit's `base`. While a page is rendered on the server
 * it may be relative to that page (Kit's `paths.relative`).
 *
 * @example appPath('signin') // '/signin', or './signin' on the server
 */
export function appPath(page: string): string {
  // Browsers read a backslash as a slash and skip controls: two slashes would name another host.
  return `${resolve('/')}${page.replace(/^[/\\\s\p{Cc}]+/u, '')}`
}

/** A path with Kit's `base`. */
export function resolve(path: string): string {
  // Kit 3 has no `base`, and Kit before 2.26 has no `resolve`. Bundlers warn of a missing
  // `paths.base`.
  const { resolve, base } = paths as { resolve?: (path: string) => string; base?: string }
  return resolve ? resolve(path) : base + path
}
