/**
 * Between an app that forwards by URL and the service alone. On a request: does the service know
 * the app's origin? On its answer: it does not. The sender only learns the target of a `callbackUrl`
 * with that origin.
 */
export const APP_HEADER = 'x-auth-app'
