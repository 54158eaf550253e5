import { all } from '../features/all.js'
import { authorizationServer } from '../features/authorization-server/index.js'
import { companies } from '../features/companies/index.js'
import { newBrowsers } from '../features/new-browsers/index.js'
import { passwords } from '../features/passwords/index.js'
import { englishOf } from '../languages/english-of.js'

const apart = authorizationServer()

/** What features bring themselves in other languages. */
export const translations = [apart, passwords, companies(), newBrowsers].map(
  ({ pages }) => pages?.translations ?? (async () => ({})),
)

/** The English texts of the core and of every feature. */
export const english = englishOf([...all, apart, passwords, companies(), newBrowsers])
export const inEnglish = english.words
