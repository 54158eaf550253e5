import type { PageLoad } from './$types'

/** Made once, when the app is built, and the same for everybody. */
export const prerender = true

export const load: PageLoad = () => ({ title: 'About', isPrerendered: true })
