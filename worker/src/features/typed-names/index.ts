import type { Feature } from '../../service/feature.js'
import { keepTyped, typedNames as namesTyped } from '../../sign-in/typed-names.js'

/** After a mistake the sign-in page has the name that was typed. */
export const typedNames: Feature = {
  name: 'typed-names',
  typed: { keep: keepTyped, names: namesTyped },
}
