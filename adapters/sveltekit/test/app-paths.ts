/** Stands in for Kit's `$app/paths`, which is there only in an app that Kit builds. */
let root = '/'

/** The path with Kit's `base`, or on the server relative to the rendered page. */
export function setRoot(value: string): void {
  root = value
}

export function resolve(_: '/'): string {
  return root
}
