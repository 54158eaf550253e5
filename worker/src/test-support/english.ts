import { all } from '../features/all.js'
import { authorizationServer } from '../features/authorization-server/index.js'
import { englishOf } from '../languages/english-of.js'

/** The features that bring their translations. */
export const translated = [authorizationServer()]

/** The English texts of the core and of every feature. */
export const english = englishOf([...all, ...translated])
export const inEnglish = english.words
