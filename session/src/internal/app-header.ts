/**
 * Between an app that forwards by URL and the service alone. On a request: does the service know
 * the app's origin? On its answer: it does not. The sender only learns where a `callbackUrl` of
 * that origin leads.
 */
export const APP_HEADER = 'x-auth-app'
