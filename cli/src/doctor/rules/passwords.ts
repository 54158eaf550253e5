import { finding } from '../finding.js'
import { isApp, mayBeSet, placeOf, type Rule, textIn } from '../read.js'

const PASSWORD = 'AUTH_PASSWORD'

/** The processor time that a sign-in with a password needs at least. Milliseconds. */
const CPU = 500

const unmailed: Rule = (deployment) => {
  if (textIn(deployment.variables, PASSWORD) === undefined || isApp(deployment)) return []
  if (mayBeSet(deployment, 'AUTH_EMAIL_FROM')) return []
  return [
    finding('password-mail', {
      where: placeOf(deployment, PASSWORD),
      what: 'AUTH_PASSWORD is set, and AUTH_EMAIL_FROM is missing.',
      why: 'The service refuses to start: a mail proves the address before a password is set.',
      fix: 'AUTH_EMAIL_FROM=Example <sign-in@example.com>',
    }),
  ]
}

const plan: Rule = (deployment) => {
  const { wrangler, variables } = deployment
  if (!wrangler || textIn(variables, PASSWORD) === undefined || isApp(deployment)) return []
  if (wrangler.cpu !== undefined && wrangler.cpu >= CPU) return []
  return [
    finding('password-plan', {
      where: `${wrangler.path} limits`,
      what: `AUTH_PASSWORD is set, and the file has no [limits] with cpu_ms of ${CPU} or more.`,
      why: 'No safe hash fits into the 10 ms of the Free plan: there nobody could sign in with a password. Only the Paid plan accepts this line.',
      fix: wrangler.isJson ? `"limits": { "cpu_ms": ${CPU} }` : `[limits]\ncpu_ms = ${CPU}`,
    }),
  ]
}

export const passwords: readonly Rule[] = [unmailed, plan]
