/** Stands in for Kit's `$app/paths`, which is there only in an app that Kit builds. */
let root = '/'

/** As Kit makes it from its `base`, or on the server relative to the page that is rendered. */
export function setRoot(value: string): void {
  root = value
}

export function resolve(_: '/'): string {
  return root
}
