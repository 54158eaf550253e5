import { ownTranslations } from '../../languages/own-translations.js'
import { texts } from './texts.js'

/** The texts of this folder in another language than English. */
export const translations = ownTranslations(texts, () => import('./translations.js'))
