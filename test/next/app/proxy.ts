export { auth as proxy } from './auth'

/** It forgets the page that is named so. */
export const config = { matcher: ['/', '/((?!_next/static|_next/image|unproxied).*)'] }
