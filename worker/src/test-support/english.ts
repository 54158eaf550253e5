import { all } from '../features/all.js'
import { englishOf } from '../languages/english-of.js'

/** The English texts of the core and of every feature. */
export const english = englishOf(all)
export const inEnglish = english.words
