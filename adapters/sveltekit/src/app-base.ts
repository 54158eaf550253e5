import * as paths from '$app/paths'

// Kit 2 has `base` in all of its versions, Kit 3 has `resolve` instead. Read while the app is loaded,
// when no request makes the answer a relative one.
const { base, resolve } = paths as { readonly base?: string; resolve?: (path: '/') => string }

/** The app's own base path: `''`, or such as `/app`. */
export const appBase: string = base ?? resolve?.('/').replace(/\/+$/, '') ?? ''
