import type { PageLoad } from './$types'

/** This page is made once, when the app is built, and is the same for all users. */
export const prerender = true

export const load: PageLoad = () => ({ title: 'About', isPrerendered: true })
