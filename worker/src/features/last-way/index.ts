import type { Feature } from '../../service/feature.js'
import { forgetWay, lastWay as lastUsed, rememberWay } from './last-way.js'
import { styles } from './styles.js'
import { texts } from './texts.js'

/** The sign-in page marks the provider that the browser has signed in with last, which a cookie keeps. */
export const lastWay: Feature = {
  name: 'last-way',
  pages: { texts, styles },
  session: { marked: rememberWay, forgotten: forgetWay },
  ports: { lastUsed },
}
