export { auth as proxy } from './auth'

/** Every page; not the files that the build made. */
export const config = { matcher: ['/', '/((?!_next/static|_next/image|favicon.ico).*)'] }
