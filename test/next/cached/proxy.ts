export { auth as proxy } from './auth'

/** Below a `basePath` the pattern alone leaves the first page out. */
export const config = { matcher: ['/', '/((?!_next/static|_next/image).*)'] }
